import type { Corrected } from '../data/shapes.ts';
import { counted, isolated, number, signed } from './locale.ts';

const visitors = (n: number) => counted(n, { one: 'visitor', other: 'visitors' });

/** The page of one store, its charts, ranges, and setting the number. */
export const store = {
  ranges: {
    label: 'Period',
    today: 'Today',
    yesterday: 'Yesterday',
    '7d': '7 days',
    '4w': '4 weeks',
    month: 'This month',
    year: 'This year',
    custom: 'Other dates',
    choose: 'Choose dates',
    from: 'First day',
    to: 'Last day',
    show: 'Show',
    order: 'The first day must not be after the last day.',
    compare: 'Compare with',
    previous: 'Period before',
    weekdays: 'Same weekdays before',
    /** For one day, instead of `weekdays` and `previous`. */
    weekBefore: 'Same day last week',
    dayBefore: 'Day before',
    yearBefore: 'Year before',
  },
  chart: {
    by: {
      hour: 'Visitors by hour',
      day: 'Visitors by day',
      week: 'Visitors by week',
      month: 'Visitors by month',
      stores: 'Visitors by store',
    },
    summary: (n: number, period: string) =>
      `${visitors(n)}, ${period}. The table below has the same numbers.`,
    capacity: (n: number) => `Capacity ${number(n)}`,
    table: 'Show as a table',
    compared: (period: string) => `Before: ${period}`,
    gap: 'Incomplete',
    closed: 'Closed',
    /** Which one of two hours at the same time it is, on a day on which clocks are set back. */
    clockChange: { before: 'before the clock change', after: 'after the clock change' },
    insideAt: (n: number, time: string) => `${number(n)} inside at ${time}`,
    whileClosed: (n: number) => `${visitors(n)} while the store was closed`,
    showClosed: 'Show closed hours',
    none: 'No visitors in this time.',
    staff: (n: number) => `${number(n)} staff subtracted`,
  },
  figures: {
    comparable: (n: number) => `${number(n)} in the times that both periods have`,
    against: (before: string, period: string) => `against ${before} (${period})`,
    againstUntil: (before: string, period: string, time: string) =>
      `against ${before} (${period}, until ${time})`,
    noneBefore: 'Nothing to compare with',
    busiestHour: 'Busiest hour',
    busiestDay: 'Best day',
    average: 'Average day',
    days: (n: number) => counted(n, { one: 'complete day', other: 'complete days' }),
    sales: (n: number) => counted(n, { one: 'sale', other: 'sales' }),
    onAverage: (hours: string) => `on average, ${hours}`,
  },
  /** Why in minus out is not the number inside. */
  whyInside: {
    set: (came: number, left: number, inside: number, by: string) =>
      `${number(came)} came in and ${number(left)} went out, but ${number(inside)} are inside because ${isolated(by)} set the number.`,
    floor: (came: number, left: number, inside: number) =>
      `${number(came)} came in and ${number(left)} went out, but ${number(inside)} are inside because the number never falls below zero.`,
  },
  /** How people in and out differ; `error` is how wrong the visitors may be. */
  balance: {
    even: 'In and out match',
    few: 'Too few people to compare in and out',
    open: 'In and out can be compared when everybody has left',
    moreIn: (more: string, error: string | undefined) =>
      `${more} more came in than went out${error === undefined ? '' : `, so visitors may be about ${error} too high`}`,
    moreOut: (more: number, error: string | undefined) =>
      `${number(more)} more went out than came in${error === undefined ? '' : `, so visitors may be about ${error} too low`}`,
  },
  heatmap: {
    heading: 'When people come',
    hint: 'Average visitors for each hour in this time. Hatched: closed, or not complete yet.',
    cell: (day: string, hour: string, n: number) => `${day}, ${hour}: ${number(n)} visitors on average`,
    none: 'There is no complete hour in this time yet.',
  },
  doors: {
    heading: 'Doors',
    in: 'In',
    out: 'Out',
    /** By how much earlier the compared period is. */
    before: {
      day: 'In, day before',
      week: 'In, week before',
      year: 'In, year before',
      other: 'In, period before',
    },
    share: 'Share',
  },
  store: {
    unknown: 'There is no such store, or you may not see it.',
    ask: 'Ask your operator which stores your staff credential is for.',
    health: 'Can the numbers be trusted?',
    wall: 'Show as wall display',
    download: 'Download',
    print: 'Print',
    corrected: ({ by, people, was }: Corrected, at: string) =>
      `At ${at} ${by} set the number from ${number(was)} to ${number(people)} (${signed(people - was)}).`,
  },
  staffTap: {
    button: 'Staff came in',
    explain: 'Staff do not count as visitors. How many came in just now?',
    done: (n: number) => `${counted(n, { one: 'person does', other: 'people do' })} not count as visitors.`,
    entry: (n: number, time: string) => `${time}: ${counted(n, { one: 'person', other: 'people' })}`,
  },
  correction: {
    heading: 'Set the number of people inside',
    explain: 'Count the people inside and enter how many there are. We record who set the number.',
    button: 'Set',
    none: 'Nobody has set the number today.',
    entry: (n: number, by: string, at: string) => `${at}: ${by} set the number to ${number(n)}`,
    undo: 'Undo',
    undoneBy: (by: string) => `undone by ${by}`,
    open: 'Set the number',
    certain: 'Yes, it is right',
    change: (now: number, then: number) =>
      then === now
        ? `${number(now)} inside, as it is now.`
        : `${number(then)} instead of ${number(now)} inside (${signed(then - now)}), from now on, in all reports as well.`,
    aboveCapacity: (people: number, capacity: number) =>
      `${number(people)} people are more than twice the capacity of ${number(capacity)}. Is the number right?`,
    aboveHighest: (people: number, highest: number) =>
      `In the last four weeks there were never more than ${number(highest)} people inside. Is ${number(people)} right?`,
    unansweredSince: (time: string) =>
      `The server does not answer. Your number of ${time} is kept here. Please try again.`,
  },
};
