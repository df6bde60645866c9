#!/bin/sh
# Writes a backup of a cluster's MongoDB, of one point in time: config/backup-mongodb.sh FILE.gz
# MONGODB_URL: as the nodes have it, but without the name of the database, because --oplog copies the whole set, and with a
# user that has the role `backup` (a node's user has not).
set -eu
file=${1:?name the file to write}
: "${MONGODB_URL:?set it to the replica set}"
address=${MONGODB_URL%%\?*}
case ${address#*://} in
  */?*) echo "MONGODB_URL names the database ${address##*/}: leave it out, the whole set is copied at once" >&2; exit 1 ;;
esac
command -v mongodump >/dev/null || { echo "mongodump is not installed: it is part of MongoDB Database Tools" >&2; exit 1; }
test ! -e "$file" || { echo "$file is there already: name another one" >&2; exit 1; }
umask 077
trap 'rm -f "$file.partial"' EXIT
mongodump --uri="$MONGODB_URL" --oplog --gzip --archive="$file.partial"
mv "$file.partial" "$file"
