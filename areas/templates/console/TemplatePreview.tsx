// The certificate that would come out, from the server's own plan and bytes: what is shown here is what would be signed.

import { Alert, Button, Collapse, Stack, Text } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { Remarks } from '#areas/authorities/Remarks.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { longestRequest, templates } from '../contract.ts'
import { PlannedSheet } from '../PlannedSheet.tsx'
import type { TemplateValues } from './template-values.ts'

export function TemplatePreview({ draft }: { draft: TemplateValues }) {
  const [csr, setCsr] = useState('')
  const [trying, { toggle }] = useDisclosure(false)
  const [settled] = useDebouncedValue({ ...draft, templateName: draft.templateName === '' ? 'new' : draft.templateName }, 300)
  const input = { draft: settled, values: {}, ...(csr.trim() === '' ? {} : { csr }) }
  const complete = templates.calls.preview.input.safeParse(input).success
  const preview = useCall(templates.calls.preview, input, { enabled: complete, keepPrevious: true })
  const shown = complete && preview.error === null ? preview.data : undefined
  return (
    <Section
      title={t('The certificate that would come out')}
      intro={t('With sample names. Nothing is signed.')}
      actions={
        <Button variant="default" size="xs" aria-expanded={trying} onClick={toggle}>
          {t('Try a CSR')}
        </Button>
      }
    >
      <Collapse expanded={trying}>
        <PemInput
          name="preview.csr"
          label={t('Certificate request (CSR)')}
          most={longestRequest}
          kind="CERTIFICATE REQUEST"
          value={csr}
          onChange={(text) => setCsr(text ?? '')}
          onBlur={() => {}}
          error={undefined}
          rows={5}
        />
      </Collapse>
      {shown?.planned !== undefined && <PlannedSheet planned={shown.planned} />}
      {shown !== undefined && shown.faults.length > 0 && (
        <Alert color="red" variant="light" title={t('Nothing would be issued')}>
          <Stack gap={4}>
            {shown.faults.map(({ field, says }) => (
              <Text inherit key={field + says}>
                {t(says)}
              </Text>
            ))}
          </Stack>
        </Alert>
      )}
      {shown?.planned !== undefined && <Remarks remarks={shown.findings} />}
      {shown === undefined && preview.error === null && <Text c="dimmed">{t('It appears here as soon as the form makes sense.')}</Text>}
      {complete && <FaultAlert fault={preview.error ?? undefined} />}
    </Section>
  )
}
