# Built from this folder alone: docker build -t trace-platform-emulator .
# Without a registry: docker import a root file system with Node in it, and name it by --build-arg NODE_IMAGE=….
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /emulator
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node bin/build.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    EMULATOR_HOST=0.0.0.0 \
    EMULATOR_DATA=/data
COPY --from=build /emulator/node_modules /emulator/node_modules
COPY --from=build /emulator/dist /emulator/dist
COPY --from=build /emulator/scenarios /emulator/scenarios
COPY --from=build /emulator/fixtures /emulator/fixtures
COPY --from=build /emulator/package.json /emulator/package.json
RUN ln -s /emulator/dist/bin/emulator.js /usr/local/bin/emulator \
    && chmod +x /emulator/dist/bin/emulator.js \
    && mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4700 4701 4702
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=5 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:4700/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/emulator/dist/bin/emulator.js"]
CMD ["start"]
