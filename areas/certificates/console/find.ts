import { mediumDate } from '#core/console/kit/DateTime.tsx'
import { shortNumber } from '#core/console/kit/ShortNumber.tsx'
import { statusKinds } from '#core/console/kit/status-kinds.ts'
import { send } from '#core/console/send.ts'
import type { RecordHit } from '#core/console/show.ts'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'

/** By name, alternative name, serial, mail address or fingerprint. */
export async function findCertificates(text: string, signal: AbortSignal): Promise<RecordHit[]> {
  const { rows } = await send(certificates.calls.search, { text, size: 10, facets: false }, { signal })
  return rows.map(({ certificateId, name, status, issuedAt, serialNumber }) => ({
    id: certificateId,
    label: name,
    detail: `${t(statusKinds[status].word)} · ${t('issued {date}', { date: mediumDate(new Date(issuedAt), true) })} · ${shortNumber(serialNumber)}`,
    path: certificatePath(certificateId),
  }))
}
