# Galla in one image: a node of a cluster, or the whole embedded service. Linux on x64 or arm64.
# Node 22 is the newest the HTTP listener has binaries for: CMD goes past the launcher of `npm start`. The fixes of 22 come
# with each build of the image.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN ["npm", "ci"]
COPY tsconfig.json ./
COPY config/bundle.mjs config/vite.config.ts config/
COPY actors actors
COPY gateways gateways
COPY src src
RUN ["npm", "run", "build"]

FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN ["npm", "ci", "--omit=dev"]
COPY config/prune-image.mjs config/uws-binary.mjs config/
RUN ["node", "config/prune-image.mjs"]
# the two native packages load, or there is no image
RUN ["node", "--input-type=module", "--eval", "await import('uWebSockets.js'); await import('libsql');"]

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 GALLA_DATA_DIR=/data
WORKDIR /app
RUN ["install", "--directory", "--owner=node", "--group=node", "--mode=0700", "/data"]
COPY package.json LICENSE ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "dist/src/cli/start.js"]
