// The people inside each store now, the events of a day, and the devices that have been silent for a day.
//   BASE=http://127.0.0.1:8080/public/Service.asmx COMPANY=Acme TOKEN=… KEY=… node counts.ts 2026-11-20

interface CountEvent {
  DateTime: string;
  StoreName: string;
  Amount: number;
}

interface InactiveDevice {
  SerialNumber: string;
  ShopName: string;
  LastActivity: string;
}

interface Problem {
  code: string;
  detail: string;
}

const { BASE = '', COMPANY: CompanyName = '', TOKEN: Token = '', KEY = '' } = process.env;
const day = process.argv[2] ?? '';

/** Calls an operation with JSON; an error is thrown with its code and detail. */
async function call<Result>(operation: string, fields: object, headers: object = {}): Promise<Result[]> {
  const answer = await fetch(`${BASE}/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ CompanyName, ...fields }),
  });
  if (answer.ok) return await answer.json();
  const { code, detail }: Problem = await answer.json();
  throw new Error(`${code}: ${detail}`);
}

try {
  for (const { StoreName, Amount } of await call<CountEvent>('GetAllCountsByCompanyForTodayPublic', {
    Token,
  })) {
    console.log(`now: ${Amount} in ${StoreName}`);
  }
  const range = { Token, DateFrom: day, DateTo: day };
  for (const event of await call<CountEvent>('GetCountsByCompanyAndDatePublic', range)) {
    console.log(`${event.DateTime}: ${event.Amount} in ${event.StoreName}`);
  }
  const hours = { InactiveForHours: 24 };
  for (const device of await call<InactiveDevice>('GetLifeSignalInactive', hours, { Authorization: KEY })) {
    console.log(`silent: ${device.SerialNumber} in ${device.ShopName} since ${device.LastActivity}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
