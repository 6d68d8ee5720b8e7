/** A server-sent event (WHATWG HTML, section 9.2) as it is sent. The data is JSON, so it holds no line ends. */
export function eventBytes(event: 'occupancy' | 'health' | 'beat', data: string, id?: number): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
}
