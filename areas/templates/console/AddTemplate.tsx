// A new template begins as one of the usual ones or empty; then it is the editor's form.

import { Group, Stack, UnstyledButton, Text } from '@mantine/core'
import { useNavigate, useSearchParams } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { FormSection, LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { templates } from '../contract.ts'
import { allPresets } from '../presets.ts'
import { draftFaults, nameFaults } from './draft-faults.ts'
import { listPath, templatePath } from './paths.ts'
import { emptyTemplate, presetTemplate, type TemplateValues } from './template-values.ts'
import { TemplateFields } from './TemplateFields.tsx'
import classes from './templates.module.css'

type Named = { templateName: string; displayName: string }

/** Under a name that no other template has: "TLS server 2" beside "TLS server". */
function freshlyNamed<T extends Named>(draft: T, known: readonly Named[]): T {
  const taken = (number: number) =>
    known.some(
      (one) =>
        one.templateName === draft.templateName + numbered(number, '') || one.displayName === draft.displayName + numbered(number, ' '),
    )
  let number = 1
  while (taken(number)) number += 1
  return { ...draft, templateName: draft.templateName + numbered(number, ''), displayName: draft.displayName + numbered(number, ' ') }
}

const numbered = (number: number, before: string): string => (number === 1 ? '' : `${before}${number}`)

export function AddTemplate() {
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const issuers = useCall(authorities.calls.list, { status: 'ActiveCert', size: 200 })
  const known = useCall(templates.calls.list, { size: 200 }).data?.rows ?? []
  return (
    <Page title={t('New template')}>
      <Loaded query={issuers}>
        {({ rows }) => {
          // The lowest authority does the daily work: the list is a tree, so it is the deepest.
          const caId = rows.toSorted((a, b) => b.depth - a.depth)[0]?.id
          if (caId === undefined)
            return (
              <EmptyState
                title={t('No authority yet')}
                text={t('A template belongs to the authority that signs its certificates. Create an authority first.')}
                action={<LinkButton to={to(authorities.screens.manage)}>{t('Authorities')}</LinkButton>}
              />
            )
          const preset = allPresets.find(({ templateName }) => templateName === search.get('preset'))
          return (
            <LongForm
              call={templates.calls.add}
              initial={preset === undefined ? emptyTemplate(caId) : presetTemplate(preset, caId)}
              toInput={(values: TemplateValues) => values}
              check={draftFaults}
              ask={(values) => nameFaults(values)}
              submit={t('Create template')}
              cancel={{ label: t('Cancel'), to: listPath() }}
              invalidates={['certificates']}
              onDone={({ templateId }) => navigate(templatePath(templateId))}
            >
              {(form) => (
                <Stack gap="md">
                  <FormSection
                    title={t('Begin with')}
                    intro={t('Fills in the form; change what you need.')}
                    {...(preset !== undefined && { folded: t(preset.displayName) })}
                  >
                    <Group gap="xs">
                      {allPresets.map((one) => (
                        <UnstyledButton
                          key={one.templateName}
                          className={classes['preset']}
                          onClick={() => form.setAll(freshlyNamed(presetTemplate(one, form.values.caId), known))}
                        >
                          <Text fw={600}>{t(one.displayName)}</Text>
                          <Text size="sm" c="dimmed">
                            {t(one.says)}
                          </Text>
                        </UnstyledButton>
                      ))}
                    </Group>
                  </FormSection>
                  <TemplateFields form={form} issuers={rows} />
                </Stack>
              )}
            </LongForm>
          )
        }}
      </Loaded>
    </Page>
  )
}
