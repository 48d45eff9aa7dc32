// Any number of many choices, in groups: of each group the recommended one is in view, the others are folded, and the fold says which of them are chosen.

import { Checkbox, Stack, Text } from '@mantine/core'
import { t } from '../text.ts'
import { fieldStyle, type FieldProps, type OptionGroup } from './field-style.ts'
import { Fold } from './Fold.tsx'
import classes from './GroupedCheckboxField.module.css'

/** So many are named in a fold; of more their number is said. */
const named = 3

export function GroupedCheckboxField<T extends string>(
  props: FieldProps<T[] | undefined> & { groups: readonly OptionGroup<NoInfer<T>>[] },
) {
  const { groups, value = [], onChange, onBlur, ...rest } = props
  const all = groups.flatMap(({ options }) => options)
  return (
    <Checkbox.Group
      {...fieldStyle({ ...rest, onBlur: () => {}, onChange: () => {}, value: undefined })}
      value={value}
      onChange={(picked) => onChange(all.map((option) => option.value).filter((one) => picked.includes(one)))}
    >
      <Stack gap="sm" mt={6} onBlur={onBlur}>
        {groups.map(({ label, recommended, options }) => {
          const first = options.filter((option) => option.value === recommended)
          const others = options.filter((option) => option.value !== recommended)
          const chosen = others.filter((option) => value.includes(option.value))
          return (
            <div key={label} role="group" aria-label={label} className={classes['group']}>
              <Text size="sm" c="dimmed" aria-hidden>
                {label}
              </Text>
              <div>
                {first.map((option) => (
                  <Checkbox key={option.value} value={option.value} label={t('{label} (recommended)', { label: option.label })} />
                ))}
                {others.length > 0 && (
                  <Fold
                    label={t('{count, plural, one {One other} other {# others}}', { count: others.length })}
                    says={
                      chosen.length === 0
                        ? t('None chosen')
                        : chosen.length > named
                          ? t('{count} chosen', { count: chosen.length })
                          : chosen.map((option) => option.label).join(', ')
                    }
                  >
                    <div className={classes['others']}>
                      {others.map((option) => (
                        <Checkbox key={option.value} value={option.value} label={option.label} />
                      ))}
                    </div>
                  </Fold>
                )}
              </div>
            </div>
          )
        })}
      </Stack>
    </Checkbox.Group>
  )
}
