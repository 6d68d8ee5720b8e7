#!/bin/sh
# Makes of an emulated unit one whose image has cloud-init and reads a boot partition, as Raspberry Pi OS does.
# usage: with-cloud-init.sh UNIT_VM NEW_FOLDER; then NEW_FOLDER/setup.sh with another UNIT_HOME
set -eu
cp -r "$1" "$2"
sed -i 's/^GUEST_PACKAGES=/&cloud-init,/; s/^MODULES="/&vfat nls_cp437 nls_ascii nls_utf8 /' "$2/setup.sh"
# As on Raspberry Pi OS: the partition is at /boot/firmware, and cloud-init looks for its files nowhere else.
sed -i '/> "$R\/etc\/fstab"$/r /dev/stdin' "$2/setup.sh" <<'LINES'
  mkdir -p "$R/boot/firmware" "$R/etc/cloud/cloud.cfg.d" "$R/etc/systemd/system/cloud-init-local.service.d"
  echo '/dev/vdb /boot/firmware vfat defaults,nofail 0 0' >> "$R/etc/fstab"
  printf '[Unit]\nRequiresMountsFor=/boot/firmware\n' > "$R/etc/systemd/system/cloud-init-local.service.d/boot.conf"
  printf '%s\n' 'datasource_list: [NoCloud, None]' 'datasource: {NoCloud: {seedfrom: "file:///boot/firmware/"}}' \
    'network: {config: disabled}' > "$R/etc/cloud/cloud.cfg.d/99_unit.cfg"
LINES
