# The server's programs as images: `docker build --target gateway .`, `--target api`, `--target alerts`, `--target admin`.
# Node runs the TypeScript sources directly; only the page is built. The licences of Node and of all packages are in
# /usr/share/doc/visitor-counter.
FROM node:24-slim AS base
RUN npm install --global pnpm@12.21.0
WORKDIR /app
COPY LICENSE package.json pnpm-lock.yaml pnpm-workspace.yaml .npmrc ./
COPY packages/domain packages/domain
COPY packages/service packages/service
COPY packages/database packages/database
ENV NODE_ENV=production

# --no-optional leaves out the embedded PostgreSQL: here it is a container of its own.
FROM base AS gateway
COPY packages/wire packages/wire
COPY packages/gateway packages/gateway
RUN pnpm install --frozen-lockfile --prod --no-optional --filter "@visitor-counter/gateway..." \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences
USER node
ENV MQTT_HOST=0.0.0.0 HEALTH_HOST=0.0.0.0 HEALTH_PORT=9464 METRICS_HOST=0.0.0.0 METRICS_PORT=9465
# It takes units with TLS (MQTT_TLS_CERT, MQTT_TLS_KEY), or without where MQTT_ALLOW_PLAINTEXT=true says so.
EXPOSE 1883 8883 9464 9465
CMD ["node", "packages/gateway/src/main.ts"]

FROM base AS page
COPY tsconfig.json ./
COPY packages/dashboard packages/dashboard
RUN pnpm install --frozen-lockfile --filter "@visitor-counter/dashboard..." && node packages/dashboard/build.ts \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences-of-page

FROM base AS api
COPY packages/api packages/api
COPY --from=page /app/packages/dashboard/dist packages/dashboard/dist
COPY --from=page /usr/share/doc/visitor-counter /usr/share/doc/visitor-counter
RUN pnpm install --frozen-lockfile --prod --no-optional --filter "@visitor-counter/api..." \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences
USER node
ENV HTTP_HOST=0.0.0.0 METRICS_HOST=0.0.0.0 METRICS_PORT=9466
EXPOSE 8080 9466
CMD ["node", "packages/api/src/main.ts"]

FROM base AS alerts
COPY packages/wire packages/wire
COPY packages/alerts packages/alerts
RUN pnpm install --frozen-lockfile --prod --no-optional --filter "@visitor-counter/alerts..." \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences
USER node
ENV METRICS_HOST=0.0.0.0 METRICS_PORT=9467
EXPOSE 9467
CMD ["node", "packages/alerts/src/main.ts"]

FROM base AS admin
COPY packages/wire packages/wire
COPY packages/admin packages/admin
RUN pnpm install --frozen-lockfile --prod --no-optional --filter "@visitor-counter/admin..." \
    && node packages/service/src/licences/write-licences.ts /usr/share/doc/visitor-counter/third-party-licences
USER node
ENTRYPOINT ["node", "packages/admin/src/main.ts"]
