# The server and the operator's command line as images: `docker build --target server .`, `--target admin`.
# Node runs the TypeScript sources directly; only the page is built. The licences of Node and of all packages are in
# /usr/share/doc/visitor-counter.
FROM node:24-slim AS base
RUN npm install --global pnpm@12.21.0
WORKDIR /app
COPY LICENSE package.json pnpm-lock.yaml pnpm-workspace.yaml .npmrc ./
COPY packages/domain packages/domain
COPY packages/service packages/service
COPY packages/wire packages/wire
COPY packages/database packages/database
ENV NODE_ENV=production

FROM base AS page
COPY tsconfig.json ./
COPY packages/dashboard packages/dashboard
RUN pnpm install --frozen-lockfile --filter "@visitor-counter/dashboard..." && node packages/dashboard/build.ts \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences-of-page

# The server, all roles or those of --role. --no-optional leaves out the embedded PostgreSQL: here it is a container of its own.
FROM base AS server
COPY packages/gateway packages/gateway
COPY packages/api packages/api
COPY packages/alerts packages/alerts
COPY packages/server packages/server
COPY --from=page /app/packages/dashboard/dist packages/dashboard/dist
COPY --from=page /usr/share/doc/visitor-counter /usr/share/doc/visitor-counter
RUN pnpm install --frozen-lockfile --prod --no-optional --filter "@visitor-counter/server..." \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences
USER node
ENV MQTT_HOST=0.0.0.0 HTTP_HOST=0.0.0.0 METRICS_HOST=0.0.0.0 METRICS_PORT=9465
# Units connect with TLS (MQTT_TLS_CERT, MQTT_TLS_KEY), or without where MQTT_ALLOW_PLAINTEXT=true allows it.
EXPOSE 1883 8883 8080 9465
ENTRYPOINT ["node", "packages/server/src/main.ts"]

FROM base AS admin
COPY packages/admin packages/admin
RUN pnpm install --frozen-lockfile --prod --no-optional --filter "@visitor-counter/admin..." \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences
USER node
ENTRYPOINT ["node", "packages/admin/src/main.ts"]
