/**
 * Why the gateway ends a client's connection.
 *
 * `packet-too-large`: a packet is larger than allowed, or the client sent too much before its login.
 * `malformed-packet`: bytes that are no MQTT packet, or another packet before CONNECT. `login-timeout`: no login in
 * time. `keep-alive-timeout`: silence for one and a half times its keep-alive (MQTT 3.1.1, section 3.1.2.10).
 * `rights-violation`: a message beyond its rights. `not-stored`: a message that must not be acknowledged.
 */
export type ClientErrorCode =
  | 'packet-too-large'
  | 'malformed-packet'
  | 'login-timeout'
  | 'keep-alive-timeout'
  | 'rights-violation'
  | 'not-stored';

/** Ends a client's connection; the message is logged as the reason. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;

  constructor(code: ClientErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
