#!/bin/sh
# visitor-counter.service runs this, with the settings of /etc/visitor-counter/server.env.
PAGE_DIR=${PAGE_DIR:-@PROGRAM@/page}
export PAGE_DIR
exec @NODE@ @PROGRAM@/server.mjs "$@"
