// When an authority gets a successor, its templates become the successor's, and so do the licences for them: what is asked for from then on is issued there.
// What was agreed to before is issued as it was agreed.

import type { Mover } from '#areas/authorities/succession.ts'
import { moveLicences } from './licence-store.ts'
import { allTemplates, moveTemplates } from './store.ts'

export const moveToSuccessor: Mover = async (db, { tenantId, fromId, toId, now }) => {
  const all = await allTemplates(db, tenantId)
  const taken = new Set(all.filter((template) => template.ca_id === toId).map(({ template_name: name }) => name.toLowerCase()))
  const twice = all.filter((template) => template.ca_id === fromId && taken.has(template.template_name.toLowerCase()))
  if (twice.length > 0)
    return `It has templates of the same names already: ${twice.map(({ template_name: name }) => name).join(', ')}. Rename or delete one of each.`
  const moved = (await moveTemplates(db, tenantId, fromId, toId, now)).map(({ id }) => id)
  if (moved.length > 0) await moveLicences(db, tenantId, moved, toId)
  return moved.length
}
