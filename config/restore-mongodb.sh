#!/bin/sh
# Restores a backup of config/backup-mongodb.sh: config/restore-mongodb.sh FILE.gz. Stop every node before, and run
# `galla mark-restored` afterwards. MONGODB_URL: as for the backup.
set -eu
file=${1:?name the backup}
: "${MONGODB_URL:?set it to the replica set}"
command -v mongorestore >/dev/null || { echo "mongorestore is not installed: it is part of MongoDB Database Tools" >&2; exit 1; }
test -r "$file" || { echo "$file is not there" >&2; exit 1; }
mongorestore --uri="$MONGODB_URL" --drop --oplogReplay --gzip --archive="$file"
echo 'restored: now run galla mark-restored, then delete the streams MAILBOX and EVENTS, then start the nodes'
