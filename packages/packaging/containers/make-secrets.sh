#!/bin/sh
# Makes the secrets of docker-compose.yml in the folder `secrets` of the current folder, except those that are there.
# Only you can open the folder. The files can be read by all: users inside the containers have other numbers than you.
set -eu
umask 022
[ -d secrets ] || mkdir -m 700 secrets

# make NAME TEXT: the file appears complete or not at all.
make() {
  [ ! -e "secrets/$1" ] || return 0
  printf '%s\n' "$2" >"secrets/.$1"
  chmod 444 "secrets/.$1"
  mv "secrets/.$1" "secrets/$1"
}

for name in superuser migrate_password serve_password read_password; do
  make "$name" "$(openssl rand -hex 32)"
done
make database_admin_url "postgres://postgres:$(cat secrets/superuser)@postgres:5432/postgres"
make database_url "postgres://visitor_counter_serve:$(cat secrets/serve_password)@postgres:5432/visitor_counter"
make secrets_key "$(openssl rand -base64 32)"
