// Two certificates side by side, field by field, with what differs marked. Both are decoded by the call that the first tab uses.

import { Alert, Button, Checkbox, Group, Loader, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState, type SyntheticEvent } from 'react'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { compareFields, type ComparedRow } from '../compare.ts'
import { decoder, type DecodedItem } from '../contract.ts'
import classes from './decoder.module.css'

/** What has been typed, kept by the page while another tab is open. */
export type CompareDraft = { one: string; other: string }

type Side = keyof CompareDraft
type Compared = { rows: ComparedRow[]; titles: Record<Side, string> }

export function CompareTab({ draft, onDraft }: { draft: CompareDraft; onDraft: (draft: CompareDraft) => void }) {
  const [faults, setFaults] = useState<Partial<Record<Side, string>>>({})
  const [fault, setFault] = useState<CallFault>()
  const [pending, setPending] = useState(false)
  const [compared, setCompared] = useState<Compared>()

  /** The first object of a text, or undefined where it could not be decoded. */
  const decode = async (text: string): Promise<DecodedItem | string> => {
    if (text.trim() === '') return t('Paste a certificate')
    try {
      const [item] = (await send(decoder.calls.decode, { text })).items
      return item === undefined || item.fault !== undefined ? (item?.fault?.says ?? t('Failed to decode')) : item
    } catch (error) {
      const refused = asCallFault(error)
      const [field] = refused.fields
      if (field === undefined) setFault(refused)
      return field?.says ?? refused.says
    }
  }
  const run = async (): Promise<void> => {
    setPending(true)
    setFault(undefined)
    const [one, other] = await Promise.all([decode(draft.one), decode(draft.other)])
    setPending(false)
    setFaults({ ...(typeof one === 'string' ? { one } : {}), ...(typeof other === 'string' ? { other } : {}) })
    setCompared(
      typeof one === 'string' || typeof other === 'string'
        ? undefined
        : { rows: compareFields(one.fields, other.fields), titles: { one: one.title, other: other.title } },
    )
  }
  const input = (side: Side, label: string) => (
    <PemInput
      name={side}
      label={label}
      rows={8}
      value={draft[side]}
      onChange={(value) => onDraft({ ...draft, [side]: value ?? '' })}
      onBlur={() => {}}
      error={faults[side]}
      required
      accept=".pem,.csr,.crt,.cer,.der,.p10,.req,.crl,.txt"
    />
  )
  return (
    <Stack gap="md">
      <form
        noValidate
        onSubmit={(event: SyntheticEvent) => {
          event.preventDefault()
          if (!pending) void run()
        }}
      >
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            {input('one', t('First'))}
            {input('other', t('Second'))}
          </SimpleGrid>
          <Group>
            <Button type="submit" aria-busy={pending} {...(pending ? { leftSection: <Loader size={14} color="currentColor" /> } : {})}>
              {t('Compare')}
            </Button>
          </Group>
        </Stack>
      </form>
      <FaultAlert fault={fault} />
      {compared !== undefined && <Differences compared={compared} />}
    </Stack>
  )
}

function Differences({ compared: { rows, titles } }: { compared: Compared }) {
  const [all, setAll] = useState(false)
  const differing = rows.filter(({ differs }) => differs)
  const shown = all ? rows : differing
  return (
    <Section title={t('Side by side')}>
      <Stack gap="sm">
        {differing.length === 0 ? (
          <Text role="status">{t('They are the same in every field.')}</Text>
        ) : (
          <Alert color="yellow" variant="light" role="status" icon={<IconAlertTriangle size={18} aria-hidden />}>
            {t('{count, plural, one {# field differs} other {# fields differ}} of {all}.', { count: differing.length, all: rows.length })}
          </Alert>
        )}
        <Checkbox label={t('Show what is the same, too')} checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
        {shown.length > 0 && (
          <div className={classes['wide']} tabIndex={0} role="region" aria-label={t('Fields of both')}>
            <Table verticalSpacing="xs" layout="fixed" miw={640} aria-label={t('Fields of both')}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w="30%">{t('Field')}</Table.Th>
                  <Table.Th>{titles.one}</Table.Th>
                  <Table.Th>{titles.other}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shown.map(({ path, one, other, differs }) => (
                  <Table.Tr key={path} data-differs={differs || undefined} className={classes['compared'] ?? ''}>
                    <Table.Th scope="row" className={classes['note'] ?? ''}>
                      {path}{' '}
                      {differs && all && (
                        <Text span size="xs" fw={600} c="var(--chancery-warn)">
                          {t('differs')}
                        </Text>
                      )}
                    </Table.Th>
                    <Table.Td className={classes['value'] ?? ''}>{one}</Table.Td>
                    <Table.Td className={classes['value'] ?? ''}>{other}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Stack>
    </Section>
  )
}
