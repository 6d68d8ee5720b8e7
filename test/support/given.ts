/** A number of the environment, such as `PACKETS=1000000`. */
export function given(name: string, otherwise: number): number {
  return Number(process.env[name] || otherwise);
}
