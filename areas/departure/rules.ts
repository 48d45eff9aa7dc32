/** A deleted tenancy can be kept for so long; nobody works in it meanwhile. */
export const waitingDays = 30

/** What was begun when the removal was asked for has ended after this time: a turn of a job takes four minutes at most. */
export const settlingMilliseconds = 10 * 60_000

/** An export can be fetched for so long, and is then forgotten. */
export const exportDays = 7

export const exportStates = ['running', 'ready', 'taken', 'failed'] as const
export type ExportState = (typeof exportStates)[number]

/** Bytes that are no secrets. Every other column of bytes stays at home, also one that comes later; so do requests, in which a challenge may stand. */
const plainBytes = new Set(
  'bytes certificate chain entry file head icon issuer_chain key_identifier public_key roots serial serials spki subject tail tbs'.split(
    ' ',
  ),
)

/** Stand in a column of bytes and tell which content a file has. */
const fileHashes = new Set(['attachments.hash', 'attachment_contents.hash'])

const secretName = /(^|_)(sealed|secret|hash|hashes|salt|token|password|passphrase|link|code|offered)(_|$)/
const plainWords = new Set(['failure_code', 'token_id', 'secret_id', 'secret_set_at', 'tenant_key_id'])

/** Tables whose rows open something or say how: keys, sessions, and mail with its links. */
const secretTables = new Set([
  'tenant_keys',
  'passwords',
  'sessions',
  'activation_links',
  'password_reset_links',
  'recovery_codes',
  'code_secrets',
  'outbox',
  'deliveries',
  'delivery_attempts',
])

type Column = { name: string; type: string }
type Table = { name: string; columns: readonly Column[]; ofInstallation: boolean; passing: boolean }

/** The columns of a table that an export takes along; none where the whole table stays at home. */
export function exportedColumns({ name, columns, ofInstallation, passing }: Table): string[] {
  if (ofInstallation || passing || secretTables.has(name) || name.startsWith('tenancy_export')) return []
  return columns.filter((column) => mayLeave(name, column)).map((column) => column.name)
}

function mayLeave(table: string, { name, type }: Column): boolean {
  if (fileHashes.has(`${table}.${name}`)) return true
  if (type.startsWith('bytea')) return plainBytes.has(name)
  return !/^(text|jsonb)/.test(type) || plainWords.has(name) || !secretName.test(name)
}

/** Rows of the audit log are links of one chain for the whole installation: without them nobody could prove the others. With the tenancy goes whoever could read them. */
export const staysInLog = 'events'

/** Where a row of one tenancy names another: it goes with that one. */
export const namesAnother: ReadonlySet<string> = new Set([
  'authority_licences.licensee_id',
  'discovery_asks.asking_tenant_id',
  'licence_end_notices.licensee_id',
  'licensed_authorities.owner_id',
  'licensed_templates.owner_id',
  'sessions.working_tenant_id',
  'template_licences.licensee_id',
])
