// A certificate and the roots to trust in, a verdict out, with what is wrong at each certificate of the path.

import { Button, Collapse, SimpleGrid, Stack } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { CheckboxField, SelectField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { t } from '#core/console/text.ts'
import { decoder, type VerificationReport } from '../contract.ts'
import { purposes, type Purpose } from '../rules.ts'
import { VerificationView } from './VerificationView.tsx'

/** The form's values: every field is one text. */
export type VerifyDraft = {
  leaf: string
  roots: string
  intermediates: string
  crls: string
  ownAuthorities: boolean
  requireRevocationLists: boolean
  time: string
  purpose: Purpose
  name: string
  policies: string[]
}

const empty: VerifyDraft = {
  leaf: '',
  roots: '',
  intermediates: '',
  crls: '',
  ownAuthorities: false,
  requireRevocationLists: false,
  time: '',
  purpose: 'any',
  name: '',
  policies: [],
}

export function VerifyTab({ draft = empty, onDraft }: { draft: VerifyDraft | undefined; onDraft: (draft: VerifyDraft) => void }) {
  const [answer, setAnswer] = useState<{ report: VerificationReport; asked: VerifyDraft }>()
  const [moreOpen, setMoreOpen] = useState(
    draft.intermediates !== '' || draft.crls !== '' || draft.time !== '' || draft.policies.length > 0,
  )
  return (
    <Stack gap="md">
      <Form
        call={decoder.calls.verifyChain}
        initial={draft}
        submit={t('Verify certificate')}
        guard={false}
        toInput={(values: VerifyDraft) => values}
        onDone={(report, asked) => setAnswer({ report, asked })}
      >
        {(form) => (
          <Stack gap="md" maw={1100}>
            <Keep values={form.values} onDraft={onDraft} />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              <PemInput
                {...form.field('leaf')}
                label={t('Certificate')}
                hint={t('PEM, hexadecimal, base64 or PKCS#7. Others behind it count as intermediates.')}
                rows={9}
                kind="CERTIFICATE"
                required
              />
              <div>
                <PemInput
                  {...form.field('roots')}
                  label={t('Trusted roots')}
                  hint={t('What the path has to end at.')}
                  rows={9}
                  kind="CERTIFICATE"
                  required={!form.values.ownAuthorities}
                />
                <div style={{ marginTop: 8 }}>
                  <CheckboxField {...form.field('ownAuthorities')} label={t("Trust this organisation's authorities")} />
                </div>
              </div>
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              <SelectField
                {...form.field('purpose')}
                label={t('Purpose')}
                options={Object.entries(purposes).map(([value, label]) => ({ value: value as Purpose, label: t(label) }))}
              />
              <TextField
                {...form.field('name')}
                label={t('Name')}
                hint={t('The host, IP address or e-mail address that it must be for.')}
              />
            </SimpleGrid>
            <div>
              <Button
                size="compact-sm"
                variant="subtle"
                ml={-8}
                aria-expanded={moreOpen}
                rightSection={<IconChevronDown size={14} aria-hidden style={moreOpen ? { rotate: '180deg' } : undefined} />}
                onClick={() => setMoreOpen(!moreOpen)}
              >
                {t('Intermediates, revocation lists, time and policies')}
              </Button>
              <Collapse expanded={moreOpen}>
                <More form={form} />
              </Collapse>
            </div>
          </Stack>
        )}
      </Form>
      {/* A verdict stands only beside what it was given for. */}
      {answer !== undefined && isSame(answer.asked, draft) && <VerificationView report={answer.report} />}
    </Stack>
  )
}

function More({ form }: { form: FormKit<VerifyDraft> }) {
  return (
    <Stack gap="md" mt="xs">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <PemInput
          {...form.field('intermediates')}
          label={t('Intermediates')}
          hint={t('Certificates that the path may lead over.')}
          rows={6}
          kind="CERTIFICATE"
        />
        <PemInput {...form.field('crls')} label={t('Revocation lists')} hint={t('Full, delta or indirect.')} rows={6} kind="X509 CRL" />
        <TextField {...form.field('time')} label={t('Time')} hint={t('Such as 2026-03-01T09:30:00Z. Now when it is empty.')} />
        <TagsField {...form.field('policies')} label={t('Policies')} hint={t('Object identifiers, one of which is then required.')} />
      </SimpleGrid>
      <CheckboxField {...form.field('requireRevocationLists')} label={t('Refuse certificates of which no list speaks')} />
    </Stack>
  )
}

function isSame(left: VerifyDraft, right: VerifyDraft): boolean {
  return (Object.keys(empty) as (keyof VerifyDraft)[]).every((field) => String(left[field]) === String(right[field]))
}

/** Tells the page what is typed, so that another tab does not lose it. */
function Keep({ values, onDraft }: { values: VerifyDraft; onDraft: (draft: VerifyDraft) => void }) {
  const tell = useRef(onDraft)
  useEffect(() => {
    tell.current(values)
  }, [values])
  return null
}
