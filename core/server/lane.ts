// Group commit. What many callers want to write at the same time is written in one transaction: while one batch is under way the next gathers, and
// it sets out the moment that a way is free. Nobody waits for company, and under load the company comes by itself. Callers see a plain promise.

export type LaneOptions<Item, Outcome> = {
  /** Batches under way at once. */
  ways: number
  /** Items in one batch. */
  most: number
  /** One outcome for each item, in their order. Where it throws, nothing of the batch is done. */
  carry(items: readonly Item[]): Promise<readonly Outcome[]>
  /** True for an error that one item may have brought on all: then each is carried alone, and only the guilty one fails. */
  mayBeOneItems(error: unknown): boolean
}

export type Lane<Item, Outcome> = (item: Item) => Promise<Outcome>

type Waiting<Item, Outcome> = { item: Item; resolve(outcome: Outcome): void; reject(error: unknown): void }

export function openLane<Item, Outcome>({ ways, most, carry, mayBeOneItems }: LaneOptions<Item, Outcome>): Lane<Item, Outcome> {
  const queue: Waiting<Item, Outcome>[] = []
  let underWay = 0

  async function setOut(): Promise<void> {
    underWay += 1
    while (queue.length > 0) await deliver(queue.splice(0, most))
    underWay -= 1
  }

  async function deliver(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await carry(batch.map(({ item }) => item))
      for (const [at, { resolve, reject }] of batch.entries()) {
        if (at < outcomes.length) resolve(outcomes[at] as Outcome)
        else reject(new Error('A batch gave fewer outcomes than it had items'))
      }
    } catch (error) {
      if (batch.length > 1 && mayBeOneItems(error)) for (const one of batch) await deliver([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      // In a microtask, so that those who come in the same turn share the batch.
      if (underWay < ways)
        queueMicrotask(() => {
          if (underWay < ways && queue.length > 0) void setOut()
        })
    })
}
