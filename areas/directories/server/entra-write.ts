// One change of one account in Entra ID, drawn up as those of a directory are.

import { randomBytes } from 'node:crypto'
import { fullName } from '#areas/users/service.ts'
import { canDo } from '../write-texts.ts'
import { DirectoryError, type Read } from './connection.ts'
import { findAccount, readAccount, saidBy, type EntraAccount, type Graph, type GraphAnswer } from './entra.ts'
import type { WriteChange } from './write-store.ts'
import { wantedValues, type Refusal, type Subject, type Wanted } from './write.ts'

export type DrawnInEntra = { dn: string; changes: WriteChange[]; perform(): Promise<Read | undefined> }

/** Graph takes and tells these as lists. */
const lists: ReadonlySet<string> = new Set(['businessPhones', 'otherMails'])

const textOf = (value: unknown): string => {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' || typeof first === 'boolean' ? String(first) : ''
}

const needDone = (answer: GraphAnswer): GraphAnswer => {
  if (answer.status === 404) throw new DirectoryError('The directory does not have the account any more')
  if (answer.status >= 300) throw new DirectoryError(`Graph refused: ${saidBy(answer)}`)
  return answer
}

/** A value as Graph takes it; of a list the others stay. */
const asGraph = (name: string, value: string, there: unknown): unknown =>
  lists.has(name) ? [value, ...(Array.isArray(there) ? there.slice(1).filter((one) => one !== value) : [])] : value

export async function drawInEntra(graph: Graph, subject: Subject, { action }: Wanted): Promise<DrawnInEntra | Refusal> {
  if (!canDo('entra', action)) return 'notThere'
  if (action === 'create') return drawCreate(graph, subject)
  if (subject.guid === undefined) return 'notLinked'
  const account = await findAccount(graph, subject.guid)
  if (account === undefined) return 'gone'
  const dn = textOf(account['userPrincipalName'])
  const path = `/v1.0/users/${encodeURIComponent(account.id)}`
  const changed = (changes: WriteChange[], body: unknown): DrawnInEntra => ({
    dn,
    changes,
    async perform() {
      needDone(await graph.ask('PATCH', path, body))
      return undefined
    },
  })
  switch (action) {
    case 'enable':
    case 'disable': {
      const [before, after] = [account['accountEnabled'] !== false, action === 'enable']
      if (before === after) return 'already'
      return changed([{ name: 'accountEnabled', before: String(before), after: String(after) }], { accountEnabled: after })
    }
    case 'delete':
      return {
        dn,
        changes: [{ name: 'userPrincipalName', before: dn, after: '' }],
        async perform() {
          needDone(await graph.ask('DELETE', path))
          return undefined
        },
      }
    default:
      return drawUpdate(graph, subject, account, changed)
  }
}

function drawUpdate(
  { directory }: Graph,
  subject: Subject,
  account: EntraAccount,
  changed: (changes: WriteChange[], body: unknown) => DrawnInEntra,
): DrawnInEntra | Refusal {
  const different = [...wantedValues(directory, subject)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name, after]) => textOf(account[name]) !== after)
  if (different.length === 0) return 'nothing'
  return changed(
    different.map(([name, after]) => ({ name, before: textOf(account[name]), after })),
    Object.fromEntries(different.map(([name, after]) => [name, asGraph(name, after, account[name])])),
  )
}

async function drawCreate(graph: Graph, { person, kept, guid, readable }: Subject): Promise<DrawnInEntra | Refusal> {
  const { directory } = graph
  if (guid !== undefined) return 'linked'
  // What Graph takes in front of the sign: no spaces, and none of the signs that an address has another use for.
  const name = (kept['uid'] ?? person.username)
    .replace(/@.*$/, '')
    .replaceAll(/[^\w.'-]+/g, '')
    .slice(0, 64)
  const dn = `${name}@${directory.people_base}`
  if ((await findAccount(graph, dn)) !== undefined) return 'exists'
  const attributes = new Map<string, string>([
    ['userPrincipalName', dn],
    ['mailNickname', name],
    ['displayName', fullName(person).slice(0, 256)],
    ['accountEnabled', 'false'],
    ...wantedValues(directory, { person, kept, guid, readable }),
  ])
  return {
    dn,
    changes: [...attributes].map(([attribute, after]) => ({ name: attribute, before: '', after })),
    async perform() {
      const made = needDone(
        await graph.ask('POST', '/v1.0/users', {
          ...Object.fromEntries([...attributes].map(([attribute, value]) => [attribute, asGraph(attribute, value, undefined)])),
          accountEnabled: false,
          // Entra ID makes no account without a password. Nobody knows this one.
          passwordProfile: { forceChangePasswordNextSignIn: true, password: `Aa1!${randomBytes(24).toString('base64url')}` },
        }),
      )
      const id = typeof made.body === 'object' && made.body !== null && 'id' in made.body ? textOf(made.body.id) : ''
      if (id === '') throw new DirectoryError('Graph answered what cannot be read')
      return { ...readAccount({ id }, directory), dn, disabled: true }
    },
  }
}
