import { Alert, Box, Button, Collapse, Group, Loader, Stack, Text, Textarea } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconAlertTriangle, IconChevronDown } from '@tabler/icons-react'
import { useEffect, useRef, useState, type SyntheticEvent } from 'react'
import { useLocation } from 'react-router'
import type { CallFault } from '#core/console/call-fault.ts'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { decoder } from '../contract.ts'
import { DecodedItemView } from './DecodedItemView.tsx'
import classes from './decoder.module.css'

/** What has been typed, kept by the page while another tab is open. */
export type DecodeDraft = { text: string; rules: string; password: string }

export function DecodeTab({ draft: { text, rules, password }, onDraft }: { draft: DecodeDraft; onDraft: (draft: DecodeDraft) => void }) {
  const { key, state } = useLocation()
  const setText = (changed: string): void => onDraft({ text: changed, rules, password })
  const setRules = (changed: string): void => onDraft({ text, rules: changed, password })
  const [rulesOpen, setRulesOpen] = useState(false)
  const [missing, setMissing] = useState(false)
  const decode = useSend(decoder.calls.decode)
  const { answer, fault } = decode

  const run = (sent: string): void => {
    setMissing(sent.trim() === '')
    // What is wrong is shown from `fault`.
    if (sent.trim() !== '' && !decode.pending) decode.run({ text: sent, rules, password }).catch(() => {})
  }
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    run(text)
  }
  useHotkeys([['mod+Enter', () => run(text)]], [])
  // Text that the palette hands over is decoded at once, one time for each visit.
  const taken = useRef('')
  useEffect(() => {
    const handed = pastedText(state)
    if (handed === undefined || taken.current === key) return
    taken.current = key
    setText(handed)
    run(handed)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key])

  return (
    <Stack gap="md">
      <form noValidate onSubmit={submit}>
        <Stack gap="md" maw={900}>
          <PemInput
            name="text"
            label={t('Certificate text')}
            hint={t('PEM, hexadecimal or base64, several at once; or drop or choose a file')}
            rows={10}
            value={text}
            onChange={(value) => setText(value ?? '')}
            onBlur={() => {}}
            error={missing ? t('Paste a certificate, a request, a revocation list or a PKCS#7 file') : undefined}
            required
            pkcs12
            accept=".pem,.csr,.crt,.cer,.der,.p10,.req,.p7b,.p7c,.p7m,.p7s,.crl,.ors,.orq,.p12,.pfx,.txt"
          />
          <div>
            <Button
              size="compact-sm"
              variant="subtle"
              aria-expanded={rulesOpen}
              rightSection={<IconChevronDown size={14} aria-hidden />}
              onClick={() => setRulesOpen(!rulesOpen)}
            >
              {t('CSR rules and password')}
            </Button>
            <Collapse expanded={rulesOpen}>
              <Textarea
                mt="xs"
                label={t('Rules of a template')}
                description={t('JSON. Text that is not valid JSON means no rules.')}
                placeholder={rulesExample}
                autosize
                minRows={3}
                maxRows={12}
                spellCheck={false}
                classNames={{ input: classes['mono'] ?? '' }}
                value={rules}
                onChange={(event) => setRules(event.currentTarget.value)}
              />
              <Box mt="sm" maw={420}>
                <PasswordField
                  name="password"
                  label={t('Password of a PKCS#12 file')}
                  hint={t('Opens it to show its certificates. Private keys are never shown.')}
                  autoComplete="off"
                  value={password}
                  onChange={(changed) => onDraft({ text, rules, password: changed ?? '' })}
                  onBlur={() => {}}
                  error={undefined}
                />
              </Box>
            </Collapse>
          </div>
          <Group>
            <Button
              type="submit"
              aria-busy={decode.pending}
              {...(decode.pending ? { leftSection: <Loader size={14} color="currentColor" /> } : {})}
            >
              {t('Decode')}
            </Button>
          </Group>
        </Stack>
      </form>
      <DecodeFault fault={fault} />
      {answer !== undefined && fault === undefined && (
        <Stack gap="md">
          <Text role="status" fw={600}>
            {t('Successfully decoded')}
          </Text>
          {answer.omitted > 0 && (
            <Text>
              {t('{count, plural, one {# more item is not shown.} other {# more items are not shown.}}', { count: answer.omitted })}
            </Text>
          )}
          {answer.items.map((item, at) => (
            <DecodedItemView key={at} item={item} place={answer.items.length === 1 ? '' : `${at + 1}.`} />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

const rulesExample = '{"keys":["P-256"],"allowedDomains":["*.example.org"],"wildcards":false,"maximumNames":5}'

function DecodeFault({ fault }: { fault: CallFault | undefined }) {
  if (fault === undefined || fault.fields.length === 0) return <FaultAlert fault={fault} />
  return (
    <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('Failed to decode')}>
      <Stack gap={4}>
        {fault.fields.map(({ says }) => (
          <Text key={says} inherit>
            {says}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}

/** What the palette puts beside the address when a PEM was pasted there. */
const pastedText = (state: unknown): string | undefined =>
  typeof state === 'object' && state !== null && 'pem' in state && typeof state.pem === 'string' ? state.pem : undefined
