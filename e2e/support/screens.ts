// Every screen there is, by the list that the product prints of itself, each with an example of what stands for the parameters of its path.

import { order } from '#areas/order.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { examplesOf } from '#core/testing/examples.ts'
import { listRoutes } from '../../tools/routes.ts'
import type { FullEstate } from './full-estate.ts'
import type { Person } from './people.ts'

/** Proves anew who one is: by the time that a late example asks, the sign-in is too old for what takes protection away. */
async function proved(ada: Person): Promise<Person> {
  await ada.call(sessions.calls.confirmPassword, { password: ada.password })
  return ada
}

type Example = (estate: FullEstate) => Record<string, string> | Promise<Record<string, string>>
const none: Example = () => ({})

/** What stands for the parameters of a screen; more than one where it shows different things. Newer rooms bring theirs in `examples.fixture.ts`. */
const examples: Record<string, readonly Example[]> = {
  'fidosync.view': [({ syncedCredential }) => syncedCredential()],
  'roles.view': [({ roleId: id }) => ({ id })],
  'roles.edit': [({ roleId: id }) => ({ id })],
  'users.view': [({ userId: id }) => ({ id })],
  'users.edit': [({ userId: id }) => ({ id })],
  'sessions.activate': [({ activationLink }) => ({ token: activationLink.split('/').at(-1) ?? '' }), () => ({ token: 'used' })],
  'authorities.renew': [({ rootId: id }) => ({ id })],
  'authorities.cross': [({ rootId: id }) => ({ id })],
  'bulk.run': [({ runId }) => ({ runId })],
  'authorities.manage': [none, ({ caId: id }) => ({ id }), ({ rootId: id }) => ({ id }), () => ({ id: 'new' })],
  'keys.edit': [({ tokenId: id }) => ({ id })],
  'keys.token': [({ tokenId: id }) => ({ id })],
  'templates.manage': [none, ({ serverTemplateId: id }) => ({ id }), () => ({ id: 'new' })],
  'certificates.view': [({ certId }) => ({ certId }), ({ revokedId: certId }) => ({ certId })],
  'certificates.viewOfCa': [({ caId, serialNumber: certId }) => ({ caId, certId })],
  'certificates.approval': [({ waitingRequestId: id }) => ({ id })],
  'certificates.add': [() => ({ entity: 'user' }), () => ({ entity: 'device' })],
  'revocation.revoke': [({ certId }) => ({ certId })],
  'revocation.revokeOwn': [({ certId }) => ({ certId })],
  'revocation.revokeOfCa': [({ caId, serialNumber: certId }) => ({ caId, certId })],
  'revocation.revokeAuthority': [({ caId: id }) => ({ id }), ({ rootId: id }) => ({ id })],
  'revocation.drill': [({ drillId }) => ({ drillId })],
  'renewal.view': [({ certId }) => ({ certId }), ({ revokedId: certId }) => ({ certId })],
  'revocation.viewPending': [({ contestedId: certId }) => ({ certId })],
  'revocation.viewPendingOfCa': [({ caId, contestedSerial: certId }) => ({ caId, certId })],
  'search.search': [none, () => ({ searchType: 'certificate' })],
}

for (const area of order)
  for (const [name, some] of Object.entries(await examplesOf(area)))
    examples[`${area}.${name}`] = some.map(
      (example): Example =>
        ({ ada }) =>
          example({ ...ada, session: () => proved(ada) }),
    )

const screens = listRoutes().filter(({ kind, path }) => kind === 'screen' && path !== '/')

export const withoutExample = screens.filter(
  ({ area, name, path }) => /:\w+(?!\w*\?)(\/|$)/.test(path) && examples[`${area}.${name}`] === undefined,
)

const cases = screens.flatMap((screen) => {
  const name = `${screen.area}.${screen.name}`
  return (examples[name] ?? [none]).map((example, at) => ({ ...screen, id: `${name}${at === 0 ? '' : ` (${at + 1})`}`, example }))
})
export type ScreenCase = (typeof cases)[number]

/** Two parts of equal length, for two workers. What a room's examples add its own later screens show, so a room is in one of them. */
const middle = cases.findIndex(({ area }) => area === cases[Math.floor(cases.length / 2)]?.area)
export const [lowerRooms, upperRooms] = [cases.slice(0, middle), cases.slice(middle)]
