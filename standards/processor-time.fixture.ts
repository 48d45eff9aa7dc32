// What computing may cost, in processor time and not in passed time: a busy machine lengthens only the second. What counts is the relation to a
// fixed piece of work that is measured in the same moment, so that a slow processor fails nothing either.

/** Counts the processor time of this thread from now on. What it answers tells the seconds so far. */
export function countProcessor(): () => number {
  const began = spentMicroseconds()
  return () => (spentMicroseconds() - began) / 1e6
}

function spentMicroseconds(): number {
  // Linux brings the count of a thread up to date at its ticks only, and whenever somebody asks about the whole process.
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return user + system
}

const rounds = 5
/** What is shorter is repeated until it lasts so long, because the count has no finer steps than a microsecond. */
const leastSeconds = 0.002

/** The seconds of the quickest of some rounds: collecting garbage and compiling happen in the others. */
export function processorSeconds(work: () => unknown): number {
  let [least, times] = [Infinity, 1]
  for (let round = 0; round < rounds;) {
    const seconds = countProcessor()
    for (let time = 0; time < times; time += 1) work()
    const spent = seconds()
    if (spent < leastSeconds) times *= 2
    else {
      least = Math.min(least, spent / times)
      round += 1
    }
  }
  return least
}

/** How many times as much the work costs at twice the size: 2 where it is linear, 4 where it is quadratic. */
export const growth = (work: (size: number) => unknown, size: number): number =>
  processorSeconds(() => work(2 * size)) / processorSeconds(() => work(size))

/** Seconds for a fixed piece of work, about a hundredth of a second on a server of 2026. It sets the scale for what is fixed as well. */
export const referenceSeconds = (): number => 10 * processorSeconds(fixedTenth)

function fixedTenth(): number {
  let mixed = 1
  for (let step = 0; step < 800_000; step += 1) mixed = (Math.imul(mixed, 31) + step) | 0
  return mixed
}
