// One page of what a query finds, and how many it finds in all: for lists whose rows are few enough to be counted.

import type { SelectQueryBuilder, Simplify } from 'kysely'

/** `found` has its conditions and nothing else; `listed` selects, and gives an order that is the same each time. */
export async function readPage<DB, TB extends keyof DB, Row>(
  found: SelectQueryBuilder<DB, TB, object>,
  { page, size }: { page: number; size: number },
  listed: (found: SelectQueryBuilder<DB, TB, object>) => SelectQueryBuilder<DB, TB, Row>,
): Promise<{ rows: Simplify<Row>[]; total: number }> {
  const rows = await listed(found)
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const counted = found.select((all) => all.fn.countAll<number>().as('total')).$castTo<{ total: number }>()
  const { total } = await counted.executeTakeFirstOrThrow()
  return { rows, total }
}
