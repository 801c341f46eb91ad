# Toolpool in a container: docs/CONTAINER.md says how to mount, run and reach it.

FROM node:20-bookworm-slim AS build
# better-sqlite3 is compiled when no prebuilt file fits.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /toolpool
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm rebuild better-sqlite3 esbuild
COPY . .
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:20-bookworm-slim
# tini is process 1: it passes signals on and reaps what servers leave behind.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /state \
  && install --directory --owner=root --group=root --mode=0755 /config
WORKDIR /toolpool
COPY --from=build /toolpool/package.json /toolpool/LICENSE ./
COPY --from=build /toolpool/node_modules ./node_modules
COPY --from=build /toolpool/dist ./dist
RUN ln -s /toolpool/dist/toolpool.js /usr/local/bin/toolpool
ENV NODE_ENV=production \
  TOOLPOOL_STATE=/state \
  TOOLPOOL_CONFIG=/config/toolpool.json
# The state: token, journal, log, socket. The configuration is mounted read-only below /config.
VOLUME ["/state"]
USER node
STOPSIGNAL SIGTERM
# The daemon listens on loopback and on a socket in /state only; no port is exposed.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "const {url} = JSON.parse(require('node:fs').readFileSync(process.env.TOOLPOOL_STATE + '/daemon.json', 'utf8')); fetch(url + '/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1));"]
ENTRYPOINT ["tini", "--"]
CMD ["toolpool", "up", "--foreground"]
