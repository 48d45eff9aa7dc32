import { ActionIcon, Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { SelectField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'

export type Constraint = { type: 'DNS' | 'IP' | 'RFC822'; value: string }

const examples: Record<Constraint['type'], string> = { DNS: 'example.org', IP: '10.0.0.0/8', RFC822: 'example.org' }

/** One list of names in a form. */
type NameList = {
  names: readonly Constraint[]
  typeField(at: number): FieldBinding<Constraint['type'] | undefined>
  valueField(at: number): FieldBinding<string | undefined>
  onChange(names: Constraint[]): void
}

export function NameConstraintFields({
  form,
}: {
  form: Pick<FormKit<{ permittedNames: Constraint[]; excludedNames: Constraint[] }>, 'values' | 'field' | 'set'>
}) {
  const listOf = (name: 'permittedNames' | 'excludedNames'): NameList => ({
    names: form.values[name],
    typeField: (at) => form.field(`${name}.${at}.type`),
    valueField: (at) => form.field(`${name}.${at}.value`),
    onChange: (names) => form.set(name, names),
  })
  return (
    <>
      <Names
        label={t('Permitted names')}
        hint={t('Of each kind listed here, only these names and what is inside them.')}
        add={t('Add permitted name')}
        {...listOf('permittedNames')}
      />
      <Names
        label={t('Excluded names')}
        hint={t('Never these names, nor what is inside them.')}
        add={t('Add excluded name')}
        {...listOf('excludedNames')}
      />
    </>
  )
}

function Names({ label, hint, add, names, typeField, valueField, onChange }: NameList & { label: string; hint: string; add: string }) {
  return (
    <Fieldset variant="unstyled" legend={label}>
      <Text size="xs" c="dimmed" mb="xs">
        {hint}
      </Text>
      <Stack gap="xs">
        {names.map(({ type }, at) => (
          <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
            <div style={{ flex: '0 0 130px' }}>
              <SelectField
                {...typeField(at)}
                label={t('Kind')}
                options={[
                  { value: 'DNS', label: t('Domain') },
                  { value: 'IP', label: t('Network') },
                  { value: 'RFC822', label: t('Mail') },
                ]}
              />
            </div>
            <div style={{ flex: 1 }}>
              <TextField {...valueField(at)} label={t('Value')} placeholder={examples[type]} />
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              mt={24}
              aria-label={t('Remove {name}', {
                name: names[at]?.value === '' || names[at] === undefined ? t('this name') : names[at].value,
              })}
              onClick={() => onChange(names.filter((_, index) => index !== at))}
            >
              <IconTrash size={16} stroke={1.8} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} stroke={1.8} aria-hidden />}
            onClick={() => onChange([...names, { type: 'DNS', value: '' }])}
          >
            {add}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
