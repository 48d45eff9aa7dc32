// The certificate that would come out, from the server's own plan of it: what is shown here is what is made.

import { Alert, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { DraftOf } from '#core/contract/contract.ts'
import { useCall } from '#core/console/queries.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { t } from '#core/console/text.ts'
import { authorities } from '../contract.ts'
import classes from './authorities.module.css'
import { CertificateSheet } from './CertificateSheet.tsx'

type Draft = DraftOf<typeof authorities.calls.preview>

export function AuthorityPreview({ draft }: { draft: Draft }) {
  const [settled] = useDebouncedValue(draft, 300)
  const complete = (settled.kind !== 'subordinate' || settled.issuerId !== undefined) && authorities.calls.preview.input.safeParse(settled).success
  const preview = useCall(authorities.calls.preview, settled, { enabled: complete, keepPrevious: true })
  const shown = complete && preview.error === null ? preview.data : undefined
  return (
    <div className={classes['sheet']}>
      <Section title={draft.kind === 'outside' ? t('What is asked of the outside authority') : t('The certificate that will come out')}>
        {shown === undefined ? (
          <Text c="dimmed">{t('It appears here as soon as the form makes sense.')}</Text>
        ) : (
          <>
            {shown.shortened && (
              <Alert color="yellow" variant="light">
                {t('The validity ends with that of the issuer.')}
              </Alert>
            )}
            <CertificateSheet certificate={draft.kind === 'outside' ? { ...shown, issuer: t('The outside authority') } : shown} />
          </>
        )}
        {complete && preview.error !== null && preview.error.fields.length > 0 && <FaultAlert fault={preview.error} />}
      </Section>
    </div>
  )
}
