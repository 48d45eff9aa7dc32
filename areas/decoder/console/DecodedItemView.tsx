import { Alert, Stack, Tabs, Text, Textarea } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Section } from '#core/console/kit/Section.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { formatNumber, t } from '#core/console/text.ts'
import type { DecodedItem } from '../contract.ts'
import { kindNames } from '../rules.ts'
import classes from './decoder.module.css'
import { FieldTree } from './FieldTree.tsx'

export function DecodedItemView({ item, place }: { item: DecodedItem; place: string }) {
  const { kind, title, bytes, fields, structure, pem, fault } = item
  const name = t('{place} {kind}: {title}', { place, kind: t(kindNames[kind]), title }).trim()
  return (
    <Section title={name} intro={t('{count, plural, one {# byte} other {# bytes}}', { count: bytes })}>
      <Stack gap="md">
        {fault !== undefined && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('Failed to decode')}>
            {fault.says}
            {fault.path !== undefined && ` (${fault.path})`}
            {fault.offset !== undefined && `, ${t('at byte {offset}', { offset: formatNumber(fault.offset) })}`}
          </Alert>
        )}
        <Findings item={item} />
        {(fields.length > 0 || structure.length > 0) && (
          <Tabs defaultValue={fields.length > 0 ? 'fields' : 'structure'} keepMounted={false}>
            <Tabs.List mb="sm">
              {fields.length > 0 && <Tabs.Tab value="fields">{t('Fields')}</Tabs.Tab>}
              {structure.length > 0 && <Tabs.Tab value="structure">{t('ASN.1')}</Tabs.Tab>}
              {pem !== undefined && <Tabs.Tab value="pem">{t('PEM')}</Tabs.Tab>}
            </Tabs.List>
            {fields.length > 0 && (
              <Tabs.Panel value="fields">
                <FieldTree fields={fields} label={name} />
              </Tabs.Panel>
            )}
            <Tabs.Panel value="structure">
              <FieldTree fields={structure} label={name} />
            </Tabs.Panel>
            {pem !== undefined && (
              <Tabs.Panel value="pem">
                <Textarea
                  readOnly
                  autosize
                  minRows={4}
                  maxRows={24}
                  spellCheck={false}
                  aria-label={name}
                  value={pem}
                  classNames={{ input: classes['mono'] ?? '' }}
                />
              </Tabs.Panel>
            )}
          </Tabs>
        )}
      </Stack>
    </Section>
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
