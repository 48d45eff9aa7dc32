import { createHash, randomUUID } from 'node:crypto'
import { allOfTenancy } from '#areas/authorities/service.ts'
import { DirectoryError, listDomains, withDomain } from '#areas/directories/account.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { readUpload } from '#core/server/attachments/attachments.ts'
import { commonFault, Fault, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import { serve, type CallContext, type Emit } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { groupPolicy } from '../contract.ts'
import { changesBetween, wordOf, type Setting, type Verdict } from '../rules.ts'
import { readBackup, readFiles, versionsOf, type Backup, type DistributedCertificate } from './read-backup.ts'
import { readDomain } from './read-domain.ts'
import {
  deleteGpo,
  deleteReadings,
  deleteRefresh,
  findNamed,
  findPage,
  findRows,
  insertReading,
  insertRefresh,
  listReadings,
  upsertGpo,
  type GpoRecord,
  type ReadingRecord,
} from './store.ts'
import { readSysvol, SysvolError, sysvolMilliseconds } from './sysvol.ts'

/** Older readings of a policy go when there are more. */
const mostReadings = 50
const mostUpload = 20 * 1024 * 1024
const mostContent = 4 * 1024 * 1024
const mostChanges = 500

export default serve(
  groupPolicy,
  {
    async search(question, { tenancy }) {
      const { rows, total } = await findPage(tenancy, question)
      return {
        rows: rows.map(({ id, guid, name, read_at, readings }) => ({
          id,
          guid,
          name,
          readAt: read_at.toISOString(),
          readings,
        })),
        total,
      }
    },

    async view({ id, reading: wanted }, { tenancy, fault }) {
      const [gpo = fault('missing')] = await findRows(tenancy, [id])
      const readings = await listReadings(tenancy, id, mostReadings)
      const at = wanted === undefined ? 0 : readings.findIndex((one) => one.id === wanted)
      const row = readings[at] ?? fault('missing')
      const backup = contentOf(row)
      const before = readings[at + 1]
      const ours = await authoritiesBySha1(tenancy)
      const distributed = new Set(backup.certificates.filter(({ store }) => store === 'Root').map(({ thumbprint }) => thumbprint))
      return {
        id,
        guid: gpo.guid,
        name: gpo.name,
        reading: presentReading(row),
        readings: readings.map(presentReading),
        areas: [...Map.groupBy(backup.settings, ({ area }) => area)].map(([name, settings]) => ({
          name,
          settings: settings.map(presentSetting),
        })),
        certificates: backup.certificates.map(({ matches, until, ...one }) => {
          const authority = ours.get(one.thumbprint)
          return {
            ...one,
            ...(until === undefined ? {} : { until }),
            verdict: verdictOf(matches, authority?.valid),
            ...(authority === undefined ? {} : { authorityId: authority.caId }),
          }
        }),
        missingRoots: [...ours].flatMap(([sha1, { caId, name, isRoot, valid }]) =>
          isRoot && valid && !distributed.has(sha1) ? [{ authorityId: caId, name }] : [],
        ),
        autoEnrolment: backup.autoEnrolment,
        findings: backup.findings,
        scripts: backup.scripts,
        ...(backup.domain === undefined ? {} : { domain: backup.domain }),
        changes: before === undefined ? [] : changesBetween(comparable(contentOf(before)), comparable(backup)).slice(0, mostChanges),
      }
    },

    domains: async (_input, { tenancy }) => ({ domains: await listDomains(tenancy) }),

    refresh,

    async remove({ id }, { tenancy, emit, fault }) {
      const [{ name } = fault('missing')] = await findRows(tenancy, [id])
      await deleteGpo(tenancy, id)
      emit('removed', { gpoId: id, name }, id)
      return {}
    },
  },
  {
    endpoints: {
      upload: {
        bodyLimit: mostUpload,
        async handle(request) {
          const { viewer, house, facts } = request
          if (viewer === undefined) throw commonFault('not_logged_in')
          const backup = readBackup((await readUpload(request)).bytes)
          const actor = { userId: viewer.userId, name: viewer.username, address: facts.address }
          const text = textOf(backup)
          const id = await house.work(viewer.tenantId, actor, ({ tenancy, emitFor }) =>
            keepReading({ tenancy, emit: emitFor(groupPolicy), by: viewer.username }, backup, text),
          )
          return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id }) }
        },
      },
    },

    records: {
      gpo: {
        names: async (tenancy, ids) => (await findRows(tenancy, ids)).map(({ id, name }) => ({ id, name, path: pathOf(id) })),
        seek: async (tenancy, { text, most }) => (await findNamed(tenancy, text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) =>
          (await findNamed(tenancy, text, most)).map(({ id, name, guid }: GpoRecord) => ({
            id,
            label: name,
            detail: guid,
            path: pathOf(id),
          })),
      },
    },
  },
)

type Content = Omit<Backup, 'guid' | 'name' | 'computerVersion' | 'userVersion'> & {
  domain?: OutputOf<typeof groupPolicy.calls.view>['domain']
}
type Keeping = { tenancy: Tenancy; emit: Emit<typeof groupPolicy>; by: string }

function textOf({ guid: _guid, name: _name, computerVersion: _computer, userVersion: _user, ...content }: Backup & Content): string {
  const text = JSON.stringify(content)
  if (text.length > mostContent) throw invalidField('file', say`The group policy holds more than 4 MB of settings`)
  return text
}

async function keepReading({ tenancy, emit, by }: Keeping, backup: Backup, text: string): Promise<string> {
  const { guid, name, computerVersion, userVersion, settings } = backup
  const gpoId = await upsertGpo(tenancy, { id: randomUUID(), guid, name })
  const old = (await listReadings(tenancy, gpoId, mostReadings + 1)).slice(mostReadings - 1)
  await deleteReadings(
    tenancy,
    gpoId,
    old.map((one) => one.id),
  )
  await insertReading(tenancy, {
    id: randomUUID(),
    gpo_id: gpoId,
    read_by: by,
    computer_version: computerVersion,
    user_version: userVersion,
    content: text,
  })
  emit('read', { gpoId, name, settings: settings.length }, gpoId)
  return gpoId
}

/** So long a domain may take; what was not read by then is told. */
const refreshMilliseconds = 240_000

/** One at a time for each domain, because each asks its controller for all files. */
async function refresh(input: { directoryId: string }, context: CallContext<typeof groupPolicy, 'refresh'>) {
  const { transact, house, fault } = context
  const { directoryId } = input
  const reading = randomUUID()
  const until = new Date(house.now().getTime() + refreshMilliseconds + 2 * sysvolMilliseconds)
  if (!(await transact(({ tenancy }) => insertRefresh(tenancy, { directoryId, reading, until })))) fault('running')
  try {
    return await readAll(input, context)
  } finally {
    await transact(({ tenancy }) => deleteRefresh(tenancy, directoryId, reading))
  }
}

/** One policy after the other: each is kept for itself, and one that cannot be read keeps no other from it. */
async function readAll(
  { directoryId }: { directoryId: string },
  { viewer, house, transact, fault }: CallContext<typeof groupPolicy, 'refresh'>,
) {
  const result = { read: 0, unchanged: 0, skipped: [] as { name: string; reason: string }[] }
  const { tenantId } = viewer
  const deadline = performance.now() + refreshMilliseconds
  try {
    const done = await withDomain(house, tenantId, directoryId, async (access) => {
      const domain = await readDomain(access, deadline)
      const share = { tenantId, host: access.host, account: domain.account, password: access.password }
      for (const { folder, ...policy } of domain.policies) {
        try {
          if (performance.now() > deadline) throw new SysvolError('The time for this domain was over: read it again')
          if (folder === undefined) throw new SysvolError('Its files stand on another server than those of the domain')
          const files = await readSysvol(house, share, folder)
          const { guid, name, state, links, computerVersion, userVersion } = policy
          const { backup } = readFiles({ guid, name, ...versionsOf(files) }, files)
          const found = { ...backup, domain: { name: domain.name, state, directory: { computerVersion, userVersion }, links } }
          const text = textOf(found)
          const kept = await transact(async ({ tenancy, emit }) => {
            if (await isLast(tenancy, found, text)) return false
            await keepReading({ tenancy, emit, by: viewer.username }, found, text)
            return true
          })
          if (kept) result.read += 1
          else result.unchanged += 1
        } catch (error) {
          result.skipped.push({ name: policy.name, reason: reasonOf(error, house) })
        }
      }
      return true
    })
    if (done === undefined) fault('missing')
  } catch (error) {
    if (error instanceof DirectoryError) fault('unreachable', { params: { reason: error.message } })
    throw error
  }
  return result
}

function reasonOf(error: unknown, house: House): string {
  if (error instanceof SysvolError || error instanceof OutwardError) return error.message
  if (error instanceof Fault) return error.detail.fields?.[0]?.says ?? error.message
  house.log.error({ error }, 'a group policy could not be read')
  return 'The files could not be read'
}

async function isLast(tenancy: Tenancy, { guid, name, computerVersion, userVersion }: Backup, text: string): Promise<boolean> {
  const gpo = (await findNamed(tenancy, guid, 1))[0]
  const [last] = gpo?.name === name ? await listReadings(tenancy, gpo.id, 1) : []
  return last?.content === text && last.computer_version === computerVersion && last.user_version === userVersion
}

const pathOf = (id: string): string => to(groupPolicy.screens.view, { id })

/** Written by this room alone. */
const contentOf = ({ content }: ReadingRecord): Content => JSON.parse(content) as Content

const presentReading = ({ id, read_at, read_by, computer_version, user_version }: ReadingRecord) => ({
  id,
  readAt: read_at.toISOString(),
  readBy: read_by,
  computerVersion: computer_version,
  userVersion: user_version,
})

const presentSetting = ({ path, name, value }: Setting) => {
  const says = wordOf({ path, name })?.label
  return { path, name, value, ...(says === undefined ? {} : { says }) }
}

const verdictOf = (matches: boolean, valid: boolean | undefined): Verdict =>
  !matches ? 'mismatch' : valid === undefined ? 'foreign' : valid ? 'current' : 'ended'

/** Settings and certificates alike, so that both are compared. */
const comparable = ({ settings, certificates }: Content): Setting[] => [
  ...settings,
  ...certificates.map(({ side, store, thumbprint, subject }: DistributedCertificate) => ({
    area: side,
    path: store,
    name: thumbprint,
    value: subject,
  })),
]

/** The authorities of the tenancy, by the thumbprint that Windows calls them by. */
async function authoritiesBySha1(tenancy: Tenancy) {
  const all = await allOfTenancy(tenancy.db, tenancy.tenantId, tenancy.now)
  return new Map(
    all.flatMap(({ caId, friendlyName: name, kind, certificate, status, revoked }) =>
      certificate === undefined
        ? []
        : [
            [
              createHash('sha1').update(certificate).digest('hex'),
              { caId, name, isRoot: kind === 'root', valid: status === 'ActiveCert' && !revoked },
            ] as const,
          ],
    ),
  )
}
