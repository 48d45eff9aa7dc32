import { certificates } from '#areas/certificates/contract.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import type { RevocationRow } from '../contract.ts'
import { reasonTexts } from '../rules.ts'

/** What was asked for, by whom, and what became of it. */
export function RevocationFacts({ revocation: row }: { revocation: RevocationRow }) {
  return (
    <Facts
      items={[
        {
          label: t('Certificate'),
          value: <TextLink to={to(certificates.screens.view, { certId: row.certificateId })}>{row.subject}</TextLink>,
        },
        { label: t('Serial number'), value: <Mono value={row.serialNumber} />, copy: row.serialNumber },
        row.caName !== '' && { label: t('Authority'), value: row.caName },
        { label: t('Reason'), value: t(reasonTexts[row.reason].label) },
        row.invalidityDate !== undefined && { label: t('Not to be trusted since'), value: <DateTime at={row.invalidityDate} /> },
        { label: t('Note'), value: row.note },
        { label: t('Asked for by'), value: row.requester },
        { label: t('Asked for'), value: <DateTime at={row.requestedAt} /> },
        row.decidedBy !== undefined && { label: t('Decided by'), value: row.decidedBy },
        row.decidedAt !== undefined && { label: t('Decided'), value: <DateTime at={row.decidedAt} /> },
      ]}
    />
  )
}
