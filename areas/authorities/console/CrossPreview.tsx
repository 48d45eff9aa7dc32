// The cross-certificate that would be signed, from the server's own plan and bytes.

import { useDebouncedValue } from '@mantine/hooks'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { authorities } from '../contract.ts'
import { Remarks } from '../Remarks.tsx'
import { CertificateSheet } from './CertificateSheet.tsx'
import { PreviewSection } from './PreviewSection.tsx'

const { previewCross } = authorities.calls

export function CrossPreview({ draft }: { draft: DraftOf<typeof previewCross> }) {
  const [settled] = useDebouncedValue(draft, 300)
  const named = settled.otherCaId !== undefined || (settled.other ?? '').trim() !== ''
  const complete = named && previewCross.input.safeParse(settled).success
  const preview = useCall(previewCross, settled, { enabled: complete, keepPrevious: true })
  const shown = complete && preview.error === null ? preview.data : undefined
  return (
    <PreviewSection
      title={t('The certificate that will come out')}
      intro={t('Nothing is signed yet.')}
      shortened={shown?.shortened === true}
      fault={complete ? (preview.error ?? undefined) : undefined}
    >
      {shown && (
        <>
          <CertificateSheet certificate={shown} />
          <Remarks remarks={shown.remarks} />
        </>
      )}
    </PreviewSection>
  )
}
