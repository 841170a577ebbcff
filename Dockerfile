# Built from a clone alone: docker build -t trace-platform-emulator .
# Without a registry: `node test/container/base-image.mjs <name>` makes a base of this machine's own Node, to be
# named by --build-arg NODE_IMAGE=<name>. A base needs Node, and for the first stage npm, sh, find, mkdir, mv, ln.
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /emulator
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node build/build.mjs \
    && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
    && mkdir -m 1777 dist/.compiled
# The first start and its first request save compiled code. Node reads it only as the user who saved it.
USER 1000:1000
RUN cd /tmp && node /emulator/dist/bin/emulator.js exec -- node -e "fetch(process.env.EMULATOR_URL + '/ok')"
USER 0:0
# The image needs no source maps and no declarations. Any user may write to /data, so that `docker run --user` works with a volume.
RUN chmod 755 dist/.compiled \
    && find node_modules dist -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' ')' -delete \
    && mkdir -p /image/emulator/scenarios /image/usr/local/bin \
    && mkdir -m 1777 /image/data \
    && mv AGENTS.md CHANGELOG.md SECURITY.md dist docs fixtures node_modules package.json LICENSE /image/emulator \
    && mv scenarios/shipped scenarios/parts scenarios/scenario.schema.json /image/emulator/scenarios \
    && ln -s /emulator/dist/bin/emulator.js /image/usr/local/bin/emulator

FROM ${NODE_IMAGE}
COPY --from=build /image/ /
ENV NODE_ENV=production \
    EMULATOR_HOST=0.0.0.0 \
    EMULATOR_DATA=/data
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 4700 4701 4702
STOPSIGNAL SIGTERM
# The test-only surface is not counted by the rate limits, whose windows never end on a frozen clock.
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=5 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.EMULATOR_PORT || 4700}/_emulator/v1/status`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/emulator/dist/bin/emulator.js"]
CMD ["start"]
