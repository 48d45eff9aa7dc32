// Joins what many callers ask at the same time into batches (group commit). While one batch runs, the next one collects, and it starts as soon as one ends:
// a caller never waits for others to come, and under load the batches grow by themselves. Callers see a plain promise.

export type BatcherOptions<Item, Outcome> = {
  /** Batches that run at the same time. */
  maxParallel: number
  /** Items of one batch. */
  maxSize: number
  /** Answers one outcome for each item, in their order. Where it throws, nothing of the batch was done. */
  runBatch(items: readonly Item[]): Promise<readonly Outcome[]>
  /** True for an error that a single item may have caused: each is then run alone, so that only that one fails. */
  mayBeFaultOfOne(error: unknown): boolean
}

export type Batcher<Item, Outcome> = (item: Item) => Promise<Outcome>

type Waiting<Item, Outcome> = { item: Item; resolve(outcome: Outcome): void; reject(error: unknown): void }

export function openBatcher<Item, Outcome>({
  maxParallel,
  maxSize,
  runBatch,
  mayBeFaultOfOne,
}: BatcherOptions<Item, Outcome>): Batcher<Item, Outcome> {
  const queue: Waiting<Item, Outcome>[] = []
  let running = 0

  async function drain(): Promise<void> {
    running += 1
    while (queue.length > 0) await run(queue.splice(0, maxSize))
    running -= 1
  }

  async function run(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await runBatch(batch.map(({ item }) => item))
      for (const [at, { resolve, reject }] of batch.entries()) {
        if (at < outcomes.length) resolve(outcomes[at] as Outcome)
        else reject(new Error('A batch gave fewer outcomes than it had items'))
      }
    } catch (error) {
      if (batch.length > 1 && mayBeFaultOfOne(error)) for (const one of batch) await run([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      // Starts in a microtask, so that those who ask in the same tick share the batch.
      if (running < maxParallel)
        queueMicrotask(() => {
          if (running < maxParallel && queue.length > 0) void drain()
        })
    })
}
