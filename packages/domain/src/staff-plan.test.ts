import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStaffPlan, staffPassagesOn, staffPeopleOn, withoutStaff } from './staff-plan.ts';

function read(value: unknown) {
  const result = readStaffPlan(value, 'staff');
  if (result.problems !== undefined) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

test('declares staff by the plan that is valid on a business day, at its local times', () => {
  const plans = [
    read({ since: '2026-11-02', week: { monday: [{ at: '08:45', people: 4 }] } }),
    read({
      since: '2026-11-16',
      week: {
        monday: [
          { at: '13:00', people: 2 },
          { at: '02:00', people: 1 },
        ],
      },
    }),
  ];
  expect(
    ['2026-10-26', '2026-11-09', '2026-11-16', '2026-11-17'].map((day) => staffPeopleOn(plans, day)),
  ).toEqual([0, 4, 3, 0]);
  const calendar = { timeZone: 'America/New_York', dayStartsAt: '05:00' };
  expect(staffPassagesOn(plans, calendar, '2026-11-16')).toEqual([
    { at: Date.parse('2026-11-17T02:00-05:00'), people: 1 },
    { at: Date.parse('2026-11-16T13:00-05:00'), people: 2 },
  ]);
});

test('declares staff within the business day where clocks are set forward over its end', () => {
  const plans = [read({ since: '2026-03-01', week: { saturday: [{ at: '02:30', people: 4 }] } })];
  const calendar = { timeZone: 'Europe/Berlin', dayStartsAt: '03:00' };
  expect(staffPassagesOn(plans, calendar, '2026-03-28')).toEqual([
    { at: Date.parse('2026-03-29T03:00+02:00') - 1, people: 4 },
  ]);
});

test('names what cannot be used', () => {
  const problemsOf = (value: unknown) => {
    const { problems = [] } = readStaffPlan(value, 'staff');
    return problems.map(({ path }) => path);
  };
  expect(problemsOf({ since: 'today', week: { monday: [{ at: '8:45', people: 0 }], funday: [] } })).toEqual([
    'staff.since',
    'staff.week.funday',
    'staff.week.monday[0].at',
    'staff.week.monday[0].people',
  ]);
  expect(problemsOf([])).toContain('staff');
});

test('subtracts staff from their bucket, then from those that follow, then from those before', () => {
  expect(withoutStaff([5, 5, 5], [0, 2, 0])).toEqual([5, 3, 5]);
  expect(withoutStaff([5, 5, 5], [7, 0, 0])).toEqual([0, 3, 5]);
  expect(withoutStaff([5, 5, 5], [0, 0, 7])).toEqual([5, 3, 0]);
  expect(withoutStaff([5, 5, 5], [0, 4, 8])).toEqual([3, 0, 0]);
  expect(withoutStaff([1, 0], [9, 9])).toEqual([0, 0]);
});

test('sums to the day whatever the buckets are, and never adds to a bucket', () => {
  const bucket = fc.record({ entries: fc.nat({ max: 20 }), staff: fc.nat({ max: 10 }) });
  fc.assert(
    fc.property(fc.array(bucket), (buckets) => {
      const entries = buckets.map((one) => one.entries);
      const staff = buckets.map((one) => one.staff);
      const visitors = withoutStaff(entries, staff);
      const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
      expect(sum(visitors)).toBe(Math.max(0, sum(entries) - sum(staff)));
      for (const [index, number] of visitors.entries()) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThanOrEqual(entries[index] ?? 0);
      }
    }),
  );
});
