/** The values of all metrics of a server, by name and labels. */
export async function scrape(port: number): Promise<Map<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const type = answer.headers.get('content-type');
  if (!type?.includes('text/plain')) throw new Error(`the metrics have the type ${type}`);
  const lines = (await answer.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
