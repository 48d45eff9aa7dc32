import { Alert, Stack, Text, Textarea } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { Section } from '#core/console/kit/Section.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { PartTabs } from '#core/console/kit/TabRow.tsx'
import { formatNumber, t } from '#core/console/text.ts'
import type { DecodedItem } from '../contract.ts'
import { kindNames } from '../rules.ts'
import classes from './decoder.module.css'
import { FieldTree } from './FieldTree.tsx'

export function DecodedItemView({ item, place }: { item: DecodedItem; place: string }) {
  const { kind, title, bytes, fields, structure, fault } = item
  const name = t('{place} {kind}: {title}', { place, kind: t(kindNames[kind]), title }).trim()
  return (
    <Section title={name} intro={t('{count, plural, one {# byte} other {# bytes}}', { count: bytes })}>
      <Stack gap="md">
        {fault !== undefined && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('Failed to decode')}>
            {t(fault.says)}
            {fault.path !== undefined && ` (${fault.path})`}
            {fault.offset !== undefined && `, ${t('at byte {offset}', { offset: formatNumber(fault.offset) })}`}
          </Alert>
        )}
        <Findings item={item} />
        {(fields.length > 0 || structure.length > 0) && <Faces item={item} label={name} />}
      </Stack>
    </Section>
  )
}

/** What it says, field by field, as it is built, and as text. */
function Faces({ item: { fields, structure, pem }, label }: { item: DecodedItem; label: string }) {
  const [asked, choose] = useState<string>()
  const tree = (nodes: DecodedItem['fields']) => () => <FieldTree fields={nodes} label={label} />
  const tabs = [
    ...(fields.length === 0 ? [] : [{ key: 'fields', label: t('Fields'), content: tree(fields) }]),
    ...(structure.length === 0 ? [] : [{ key: 'structure', label: t('ASN.1'), content: tree(structure) }]),
    ...(pem === undefined ? [] : [{ key: 'pem', label: t('PEM'), content: () => <PemArea pem={pem} label={label} /> }]),
  ]
  return <PartTabs tabs={tabs} open={asked ?? tabs[0]?.key ?? ''} choose={choose} />
}

function PemArea({ pem, label }: { pem: string; label: string }) {
  return (
    <Textarea
      readOnly
      autosize
      minRows={4}
      maxRows={24}
      spellCheck={false}
      aria-label={label}
      value={pem}
      classNames={{ input: classes['mono'] ?? '' }}
    />
  )
}

function Findings({ item: { findings, rulesChecked, kind } }: { item: DecodedItem }) {
  if (findings.length === 0) return rulesChecked ? <Text size="sm">{t('The request keeps all the rules.')}</Text> : null
  return (
    <Stack
      component="ul"
      gap={6}
      p={0}
      m={0}
      style={{ listStyle: 'none' }}
      aria-label={rulesChecked && kind === 'csr' ? t('Findings and broken rules') : t('Findings')}
    >
      {findings.map(({ severity, code, field, message }) => (
        <li key={code + field + message}>
          <Status of={severity} label={t(severityLabels[severity])} /> <span className={classes['label']}>{field}</span> {message}{' '}
          <span className={classes['note']}>{code}</span>
        </li>
      ))}
    </Stack>
  )
}

const severityLabels = { warn: 'Warning', error: 'Error', fatal: 'Fatal' } as const
