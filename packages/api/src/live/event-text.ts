/** A server-sent event (WHATWG HTML, section 9.2). The data is JSON, so it holds no line ends. */
export function eventText(event: 'occupancy' | 'health' | 'beat', data: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}
