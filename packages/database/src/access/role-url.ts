/** A role and its password, and the database that it uses. */
interface RoleLogin {
  readonly role: string;
  readonly password: string;
  readonly database: string;
}

/**
 * The URL with which a role connects to a database of the server of `adminUrl`: at `address` (`host:port`), else as the
 * administrator does, and by TCP on this machine for an administrator who uses a Unix socket.
 */
export function roleUrl(adminUrl: string, address: string | undefined, login: RoleLogin): string {
  const admin = new URL(adminUrl);
  const url = new URL(`postgres://${address ?? tcpAddress(admin)}/${encodeURIComponent(login.database)}`);
  url.username = login.role;
  url.password = encodeURIComponent(login.password);
  for (const [name, value] of admin.searchParams) if (/^ssl/.test(name)) url.searchParams.set(name, value);
  return url.href;
}

function tcpAddress({ host, hostname, port, searchParams }: URL): string {
  const given = searchParams.get('host') ?? decodeURIComponent(hostname);
  const isSocket = given === '' || given.startsWith('/');
  const usedPort = searchParams.get('port') || port || '5432';
  if (isSocket) return `127.0.0.1:${usedPort}`;
  return searchParams.has('host') ? `${given}:${usedPort}` : host;
}
