// Subject or SAN entries: a field, and where its value comes from. Any text that names no source is a fixed one.

import { ActionIcon, Autocomplete, Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { SelectField, type Option } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'
import { isSource, valueSources, type ValueSource } from '../rules.ts'

export type EntryFieldsProps<F extends string> = {
  legend: string
  add: string
  options: readonly Option<F>[]
  count: number
  fieldOf(at: number): FieldBinding<F>
  valueOf(at: number): FieldBinding<string>
  onAdd(): void
  onRemove(at: number): void
}

export function EntryFields<F extends string>({ legend, add, options, count, fieldOf, valueOf, onAdd, onRemove }: EntryFieldsProps<F>) {
  return (
    <Fieldset variant="unstyled" legend={legend}>
      <Stack gap="xs" mt={4}>
        {Array.from({ length: count }, (_, at) => {
          const field = fieldOf(at)
          return (
            <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
              <div style={{ flex: '1 1 45%', minWidth: 0 }}>
                <SelectField
                  {...field}
                  onChange={(picked) => picked !== undefined && field.onChange(picked)}
                  label={t('Field')}
                  options={options}
                />
              </div>
              <div style={{ flex: '1 1 45%', minWidth: 0 }}>
                <SourceField {...valueOf(at)} />
              </div>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                mt={24}
                aria-label={t('Remove {legend} {number}', { legend, number: at + 1 })}
                onClick={() => onRemove(at)}
              >
                <IconTrash size={16} stroke={1.8} aria-hidden />
              </ActionIcon>
            </Group>
          )
        })}
        <Group>
          <Button variant="default" size="xs" leftSection={<IconPlus size={14} stroke={1.8} aria-hidden />} onClick={onAdd}>
            {add}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

function SourceField({ name, value, onChange, onBlur, error }: FieldBinding<string>) {
  const sources = Object.keys(valueSources) as ValueSource[]
  return (
    <>
      <Autocomplete
        data-field={name}
        label={t('Value')}
        data={sources}
        value={value}
        error={error}
        maxLength={200}
        onChange={onChange}
        onBlur={onBlur}
      />
      <Text size="xs" c="dimmed" mt={2}>
        {isSource(value) ? t('Source: {label}', { label: t(valueSources[value].label) }) : t('Fixed text')}
      </Text>
    </>
  )
}
