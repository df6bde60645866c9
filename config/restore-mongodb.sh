#!/bin/sh
# Restores a backup of config/backup-mongodb.sh: config/restore-mongodb.sh FILE.gz. Stop every node before, and run
# `galla mark-restored` afterwards. MONGODB_URL: as for the backup, with a user that may do any action on any resource:
# --oplogReplay needs that.
set -eu
file=${1:?name the backup}
: "${MONGODB_URL:?set it to the replica set}"
address=${MONGODB_URL%%\?*}
case ${address#*://} in
  */?*) echo "MONGODB_URL names the database ${address##*/}: leave it out, the whole set is restored at once" >&2; exit 1 ;;
esac
command -v mongorestore >/dev/null || { echo "mongorestore is not installed: it is part of MongoDB Database Tools" >&2; exit 1; }
test -r "$file" || { echo "$file is not there" >&2; exit 1; }
mongorestore --uri="$MONGODB_URL" --drop --oplogReplay --gzip --archive="$file"
echo 'restored: now run galla mark-restored, then delete the streams MAILBOX and EVENTS, then start the nodes'
