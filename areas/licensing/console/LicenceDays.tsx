// The first and the last day of a licence, of an authority or of one of its templates.

import { Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { DateField } from '#core/console/kit/fields.tsx'
import { Form, type FormProps } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { licensing } from '../contract.ts'
import type { LicenceView } from './LicenceStatus.tsx'

export type Licensed = { name: string; tenantId: string; licence: LicenceView } & ({ caId: string } | { templateId: string })
type Days = { from: string | undefined; until: string | undefined }

export function LicenceDays({ licensed, onClose }: { licensed: Licensed | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={licensed !== undefined}
      onClose={onClose}
      title={licensed === undefined ? '' : t('Dates of the licence for {name}', { name: licensed.name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      {licensed !== undefined && <DaysForm licensed={licensed} onClose={onClose} />}
    </Modal>
  )
}

function DaysForm({ licensed, onClose }: { licensed: Licensed; onClose: () => void }) {
  const { tenantId, licence } = licensed
  const shared = {
    initial: { from: licence.from, until: licence.until },
    submit: t('Save days'),
    cancel: { label: t('Cancel'), onClick: onClose },
    guard: false,
    onDone: onClose,
  }
  const wanted = ({ from, until }: Days) => ({ tenantId, enabled: licence.enabled, from: from ?? '', until: until ?? '' })
  const fields: FormProps<typeof licensing.calls.licenseAuthority, Days>['children'] = (form) => (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateField {...form.field('from')} label={t('First day')} hint={t('Empty: from now on')} />
        <DateField
          {...form.field('until')}
          label={t('Last day')}
          hint={t('Empty: no end date')}
          {...(form.values.from !== undefined && { min: form.values.from })}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {t(
          'Both are days in UTC, and it holds on both. Past the last one nothing is issued, also of what was agreed to before. What was issued stays as it is.',
        )}
      </Text>
    </Stack>
  )
  if ('caId' in licensed)
    return (
      <Form call={licensing.calls.licenseAuthority} {...shared} toInput={(values: Days) => ({ ...wanted(values), caId: licensed.caId })}>
        {fields}
      </Form>
    )
  return (
    <Form
      call={licensing.calls.licenseTemplate}
      {...shared}
      toInput={(values: Days) => ({ ...wanted(values), templateId: licensed.templateId })}
    >
      {fields}
    </Form>
  )
}
