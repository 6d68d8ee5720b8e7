# The server with all roles, the page, and the operator's command line. docker-compose.yml builds it: docs/install-containers.md.
# The digest is that of the list of images for all processors.
ARG NODE=docker.io/library/node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

FROM ${NODE} AS build
WORKDIR /src
RUN npm install --global pnpm@12.21.0
COPY . .
RUN pnpm install --frozen-lockfile --filter @visitor-counter/packaging... --filter @visitor-counter/dashboard... \
  && node packages/packaging/src/main.ts image-files --out /app

FROM ${NODE}
LABEL org.opencontainers.image.title="visitor-counter" \
  org.opencontainers.image.description="The server of the visitor counter, and its command line" \
  org.opencontainers.image.licenses="MIT"
COPY --from=build /app /app
# The folder is the mount point of Caddy's storage: a new volume gets the owner of this folder. Caddy runs as the same user, since
# it writes the certificate that the server reads.
RUN install -d -o 1000 -g 1000 -m 700 /caddy \
  && printf '#!/usr/local/bin/node\nimport("/app/admin.mjs");\n' > /usr/local/bin/visitor-counter \
  && chmod 755 /usr/local/bin/visitor-counter
ENV NODE_ENV=production \
  NODE_OPTIONS=--disable-sigusr1 \
  PAGE_DIR=/app/page \
  COUNTER_COMMAND="docker compose run --rm admin" \
  MQTT_HOST=:: \
  HTTP_HOST=:: \
  METRICS_HOST=:: \
  METRICS_PORT=9465
USER 1000:1000
WORKDIR /app
EXPOSE 1883 8883 8080 9465
ENTRYPOINT ["node", "/app/server.mjs"]
