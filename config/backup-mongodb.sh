#!/bin/sh
# Writes a backup of a cluster's MongoDB, of one point in time: config/backup-mongodb.sh FILE.gz
# MONGODB_URL: as the nodes have it, but without the name of the database, because --oplog copies the whole set.
set -eu
file=${1:?name the file to write}
: "${MONGODB_URL:?set it to the replica set}"
command -v mongodump >/dev/null || { echo "mongodump is not installed: it is part of MongoDB Database Tools" >&2; exit 1; }
test ! -e "$file" || { echo "$file is there already: name another one" >&2; exit 1; }
umask 077
trap 'rm -f "$file.partial"' EXIT
mongodump --uri="$MONGODB_URL" --oplog --gzip --archive="$file.partial"
mv "$file.partial" "$file"
