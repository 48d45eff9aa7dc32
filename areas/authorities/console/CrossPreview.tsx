// The cross-certificate that would be signed, from the server's own plan and bytes.

import { Alert, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { DraftOf } from '#core/contract/contract.ts'
import { useCall } from '#core/console/queries.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { t } from '#core/console/text.ts'
import { authorities } from '../contract.ts'
import { Remarks } from '../Remarks.tsx'
import classes from './authorities.module.css'
import { CertificateSheet } from './CertificateSheet.tsx'

const { previewCross } = authorities.calls

export function CrossPreview({ draft }: { draft: DraftOf<typeof previewCross> }) {
  const [settled] = useDebouncedValue(draft, 300)
  const named = settled.otherCaId !== undefined || (settled.other ?? '').trim() !== ''
  const complete = named && previewCross.input.safeParse(settled).success
  const preview = useCall(previewCross, settled, { enabled: complete, keepPrevious: true })
  const shown = complete && preview.error === null ? preview.data : undefined
  return (
    <div className={classes['sheet']}>
      <Section title={t('The certificate that will come out')} intro={t('Nothing is signed yet.')}>
        {shown === undefined ? (
          <Text c="dimmed">{t('It appears here as soon as the form makes sense.')}</Text>
        ) : (
          <>
            {shown.shortened && (
              <Alert color="yellow" variant="light">
                {t('The validity ends with that of the issuer.')}
              </Alert>
            )}
            <CertificateSheet certificate={shown} />
            <Remarks remarks={shown.remarks} />
          </>
        )}
        {complete && preview.error !== null && <FaultAlert fault={preview.error} />}
      </Section>
    </div>
  )
}
