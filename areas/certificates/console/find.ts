import { statusKinds } from '#core/console/kit/status-kinds.ts'
import { send } from '#core/console/send.ts'
import type { RecordHit } from '#core/console/show.ts'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'

/** By name, alternative name, serial, mail address or fingerprint. */
export async function findCertificates(text: string, signal: AbortSignal): Promise<RecordHit[]> {
  const { rows } = await send(certificates.calls.search, { text, size: 10, facets: false }, { signal })
  return rows.map(({ certificateId, name, caName, status }) => ({ id: certificateId, label: name, detail: `${caName} · ${t(statusKinds[status].word)}`, path: certificatePath(certificateId) }))
}
