# The server with all roles and the operator's command line, as one image: `docker build -t visitor-counter .`
# Node runs the TypeScript sources directly; only the page is built. The licences of Node and of all packages are in
# /usr/share/doc/visitor-counter. Any image with this Node and npm can be the base.
ARG BASE=docker.io/library/node:24.21.0-bookworm-slim

FROM ${BASE} AS sources
RUN npm install --global pnpm@12.21.0
WORKDIR /app
COPY LICENSE package.json pnpm-lock.yaml pnpm-workspace.yaml .npmrc tsconfig.json ./
COPY packages packages

FROM sources AS page
RUN pnpm install --frozen-lockfile --prod --filter "@visitor-counter/dashboard..." && node packages/dashboard/build.ts \
    && node packages/service/src/licences/write-licences.ts /doc/third-party-licences-of-page

# --no-optional leaves out the embedded PostgreSQL: here the database is a container of its own.
FROM sources AS programs
RUN rm -r packages/agent packages/dashboard packages/demo packages/packaging packages/simulation \
    && NODE_ENV=production pnpm install --frozen-lockfile --prod --no-optional \
       --filter "@visitor-counter/server..." --filter "@visitor-counter/admin..." \
    && node packages/service/src/licences/write-licences.ts /doc/third-party-licences
COPY --from=page /app/packages/dashboard/dist packages/dashboard/dist
COPY --from=page /doc /doc

FROM ${BASE}
WORKDIR /app
COPY --from=programs /app /app
COPY --from=programs /doc /usr/share/doc/visitor-counter
# The operator's command line, and the mount point of Caddy's storage: a new volume gets the owner of this folder.
RUN printf '#!/bin/sh\nexec node /app/packages/admin/src/main.ts "$@"\n' >/usr/local/bin/visitor-counter \
    && chmod 755 /usr/local/bin/visitor-counter && install -d -o 1000 -g 1000 -m 700 /caddy
USER 1000:1000
ENV NODE_ENV=production MQTT_HOST=0.0.0.0 HTTP_HOST=0.0.0.0 METRICS_HOST=0.0.0.0 METRICS_PORT=9465
# Units connect with TLS (MQTT_TLS_CERT, MQTT_TLS_KEY), or without where MQTT_ALLOW_PLAINTEXT=true allows it.
EXPOSE 1883 8883 8080 9465
ENTRYPOINT ["node", "/app/packages/server/src/main.ts"]
