// The certificate that would come out, from the server's own plan of it: what is shown here is what is made.

import { useDebouncedValue } from '@mantine/hooks'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { authorities } from '../contract.ts'
import { Remarks } from '../Remarks.tsx'
import { CertificateSheet } from './CertificateSheet.tsx'
import { PreviewSection } from './PreviewSection.tsx'

type Draft = DraftOf<typeof authorities.calls.preview>

export function AuthorityPreview({ draft }: { draft: Draft }) {
  const [settled] = useDebouncedValue(draft, 300)
  const complete =
    (settled.kind !== 'subordinate' || settled.issuerId !== undefined) && authorities.calls.preview.input.safeParse(settled).success
  const preview = useCall(authorities.calls.preview, settled, { enabled: complete, keepPrevious: true })
  const shown = complete && preview.error === null ? preview.data : undefined
  const external = draft.kind === 'outside'
  return (
    <PreviewSection
      title={external ? t('What is asked of the outside authority') : t('The certificate that will come out')}
      fault={complete && preview.error !== null && preview.error.fields.length > 0 ? preview.error : undefined}
    >
      {shown && (
        <>
          <CertificateSheet certificate={external ? { ...shown, issuer: t('The outside authority') } : shown} />
          {!external && <Remarks remarks={shown.remarks} />}
        </>
      )}
    </PreviewSection>
  )
}
