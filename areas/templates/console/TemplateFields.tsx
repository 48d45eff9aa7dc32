// The editor's sections, with the certificate that would come out beside them.

import { Button, Grid, Group, SimpleGrid, Stack } from '@mantine/core'
import { IconEraser } from '@tabler/icons-react'
import { useAuthoritySearch } from '#areas/authorities/authority-search.tsx'
import {
  CheckboxGroupField,
  GroupedCheckboxField,
  NumberField,
  SelectField,
  SwitchField,
  TagsField,
  TextField,
} from '#core/console/kit/fields.tsx'
import { Fold } from '#core/console/kit/Fold.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { t } from '#core/console/text.ts'
import {
  accessLevels,
  authorityUsages,
  certificateClasses,
  clearedExtensions,
  extendedUsages as extendedUsageTable,
  keyUsages,
  mostBackdatedMinutes,
  namesWithoutPlace,
  newSan,
  newSubject,
  renewalModes,
  sanFields,
  subjectFields,
  validityUnits,
  type CertificateClassName,
  type ExtendedUsageName,
  type KeyUsageName,
  type SanFieldName,
  type SubjectFieldName,
} from '../rules.ts'
import { EntryFields } from './EntryFields.tsx'
import { FurtherExtensions, FurtherUsages } from './FurtherExtensions.tsx'
import { keyGroups } from './key-groups.ts'
import { accessLevelLabels, approversText, unitLabels } from './labels.ts'
import type { TemplateValues } from './template-values.ts'
import { TemplatePreview } from './TemplatePreview.tsx'
import classes from './templates.module.css'

const names = <K extends string>(table: Record<K, unknown>): K[] => Object.keys(table) as K[]
const approverCounts = [0, 1, 2, 3, 4, 5]

const limitsText = ({ allowedDomains, allowedAddresses = [], wildcards = false, maximumNames }: TemplateValues['rules']): string =>
  [
    (allowedDomains ?? []).length + (allowedAddresses ?? []).length === 0 ? t('Any name') : t('Only what is named'),
    ...(wildcards ? [t('with wildcards')] : []),
    t('at most {count}', { count: maximumNames ?? 20 }),
  ].join(', ')

const usagesText = ({ extendedUsages = [], customUsages }: TemplateValues['extensions']): string => {
  const chosen = [...extendedUsages.map((name) => t(extendedUsageTable[name].label)), ...(customUsages ?? [])]
  return chosen.length === 0 ? t('None') : chosen.join(', ')
}

export function TemplateFields({
  form,
  issuers,
}: {
  form: FormKit<TemplateValues>
  issuers: readonly { id: string; friendlyName: string }[]
}) {
  const { values } = form
  const authority = useAuthoritySearch(issuers)
  // A wrong domain is one of many in a field: the first that is wrong speaks for it.
  const domainError =
    form.error('rules.allowedDomains') ??
    values.rules.allowedDomains.map((_, at) => form.error(`rules.allowedDomains.${at}`)).find((says) => says !== undefined)
  const addressError =
    form.error('rules.allowedAddresses') ??
    values.rules.allowedAddresses?.map((_, at) => form.error(`rules.allowedAddresses.${at}`)).find((says) => says !== undefined)
  const approvers = (field: 'issueApprovers' | 'revocationApprovers') => ({
    ...form.field(field),
    value: String(values[field]),
    onChange: (picked: string | undefined) => form.set(field, Number(picked ?? 0)),
    options: approverCounts.map((count) => ({ value: String(count), label: approversText(count) })),
  })
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Stack gap="md">
          <FormSection title={t('Template')}>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextField
                {...form.field('templateName')}
                label={t('Template name')}
                hint={t('For programs. Unique for the authority.')}
                required
              />
              <TextField
                {...form.field('displayName')}
                label={t('Name')}
                hint={t('What people see. Left empty, it is the template name.')}
              />
              <SelectField {...form.field('caId')} label={t('Authority')} required {...authority} />
              <SelectField
                {...form.field('class')}
                label={t('For')}
                required
                options={names<CertificateClassName>(certificateClasses)
                  .filter((name) => name !== 'UNKNOWN')
                  .map((value) => ({ value, label: t(certificateClasses[value].label) }))}
              />
            </SimpleGrid>
            <SwitchField {...form.field('enabled')} label={t('Offered to requesters')} />
          </FormSection>

          <FormSection
            title={t('Names')}
            intro={t('Each entry is a field and where its value comes from: a source, or a fixed text that appears in every certificate.')}
            actions={
              <Button
                variant="subtle"
                size="xs"
                leftSection={<IconEraser size={14} stroke={1.8} aria-hidden />}
                onClick={() => form.set('extensions', clearedExtensions(values.extensions))}
              >
                {t('Clear the extensions')}
              </Button>
            }
          >
            <EntryFields
              legend={t('Subject')}
              add={t('Add subject field')}
              options={names<SubjectFieldName>(subjectFields).map((value) => ({ value, label: t(subjectFields[value]) }))}
              count={values.extensions.certificateSubjects.length}
              fieldOf={(at) => form.field(`extensions.certificateSubjects.${at}.subjectField`)}
              valueOf={(at) => form.field(`extensions.certificateSubjects.${at}.fieldValue`)}
              onAdd={() => form.set('extensions.certificateSubjects', [...values.extensions.certificateSubjects, newSubject])}
              onRemove={(at) => form.set('extensions.certificateSubjects', values.extensions.certificateSubjects.toSpliced(at, 1))}
            />
            <EntryFields
              legend={t('Alternative names')}
              add={t('Add alternative name')}
              options={names<SanFieldName>(sanFields).map((value) => ({ value, label: t(sanFields[value].label) }))}
              count={values.extensions.certificateSans.length}
              fieldOf={(at) => form.field(`extensions.certificateSans.${at}.sanField`)}
              valueOf={(at) => form.field(`extensions.certificateSans.${at}.fieldValue`)}
              onAdd={() => form.set('extensions.certificateSans', [...values.extensions.certificateSans, newSan])}
              onRemove={(at) => form.set('extensions.certificateSans', values.extensions.certificateSans.toSpliced(at, 1))}
            />
            <SwitchField
              {...form.field('extensions.ignoreCsrDetails')}
              label={t('Ignore details of the CSR')}
              hint={t(
                'Of a CSR only the key is taken; names come from the record or are typed. Off, the names of the CSR are taken where they fit the template.',
              )}
            />
            {!values.extensions.ignoreCsrDetails && (
              <SelectField
                {...form.field('extensions.namesWithoutPlace')}
                value={values.extensions.namesWithoutPlace ?? 'REFUSE'}
                label={t('Names in the CSR that have no place here')}
                hint={t('What is left out is told to who asks and to who approves.')}
                options={names(namesWithoutPlace).map((value) => ({ value, label: t(namesWithoutPlace[value]) }))}
              />
            )}
            <Fold label={t('Limits on names')} says={limitsText(values.rules)}>
              <TagsField
                {...form.field('rules.allowedDomains')}
                error={domainError}
                label={t('Allowed domains')}
                hint={t('example.org allows that name, *.example.org every name below it. Empty allows any name.')}
              />
              <TagsField
                {...form.field('rules.allowedAddresses')}
                value={values.rules.allowedAddresses ?? []}
                error={addressError}
                label={t('Allowed networks')}
                hint={t(
                  '10.0.0.0/8 allows every address in it. Empty allows any address where any name is allowed, and none where domains are named.',
                )}
              />
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <NumberField {...form.field('rules.maximumNames')} label={t('Most alternative names')} min={1} max={100} />
                <SwitchField {...form.field('rules.wildcards')} label={t('Allow wildcards')} hint={t('Names such as *.example.org')} />
              </SimpleGrid>
            </Fold>
          </FormSection>

          <FormSection title={t('Keys and usages')}>
            <GroupedCheckboxField {...form.field('rules.keys')} label={t('Allowed keys')} groups={keyGroups()} />
            <CheckboxGroupField
              {...form.field('extensions.keyUsages')}
              label={t('Key usages')}
              columns={2}
              options={names<KeyUsageName>(keyUsages)
                .filter((name) => !authorityUsages.includes(name))
                .map((value) => ({ value, label: t(keyUsages[value]) }))}
            />
            <Fold label={t('Extended usages')} says={usagesText(values.extensions)}>
              <CheckboxGroupField
                {...form.field('extensions.extendedUsages')}
                label={t('Extended usages')}
                columns={2}
                options={names<ExtendedUsageName>(extendedUsageTable).map((value) => ({
                  value,
                  label: t(extendedUsageTable[value].label),
                }))}
              />
              <FurtherUsages form={form} />
            </Fold>
          </FormSection>

          <FurtherExtensions form={form} />

          <FormSection title={t('Validity and renewal')}>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <NumberField {...form.field('extensions.validityPeriod')} label={t('Valid for')} min={1} />
              <SelectField
                {...form.field('extensions.validityPeriodUnits')}
                label={t('Unit')}
                options={validityUnits.filter((unit) => unit !== 'UNKNOWN').map((value) => ({ value, label: t(unitLabels[value]) }))}
              />
              <NumberField
                {...form.field('extensions.backdatedMinutes')}
                label={t('Begins before it is issued')}
                hint={t('For clocks that are slow. Left empty, one minute. The validity does not get longer.')}
                suffix={t('minutes')}
                optional
                min={0}
                max={mostBackdatedMinutes}
              />
              <SelectField
                {...form.field('extensions.renewalMode')}
                label={t('Renewal')}
                options={names(renewalModes).map((value) => ({ value, label: t(renewalModes[value]) }))}
              />
              {form.values.extensions.renewalMode !== 'NONE' && (
                <NumberField
                  {...form.field('extensions.renewalDays')}
                  label={t('Renew before the end')}
                  hint={t(
                    'Left empty: a third of the validity, at most 30 days. However many, renewal begins no sooner than a third into the validity.',
                  )}
                  suffix={t('days')}
                  optional
                  min={1}
                  max={365}
                />
              )}
            </SimpleGrid>
          </FormSection>

          <FormSection title={t('Who asks and who agrees')}>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <SelectField {...approvers('issueApprovers')} label={t('Approvers of a request')} hint={t('Never the requester')} />
              <SelectField {...approvers('revocationApprovers')} label={t('Approvers of a revocation')} hint={t('Never the requester')} />
              <SelectField
                {...form.field('accessLevel')}
                label={t('Access level')}
                options={accessLevels.map((value) => ({ value, label: t(accessLevelLabels[value]) }))}
              />
              <NumberField
                {...form.field('priority')}
                label={t('Place in lists')}
                hint={t('The smallest first; none stands last')}
                optional
                min={-1}
              />
            </SimpleGrid>
            <SwitchField
              {...form.field('selfServiceEligible')}
              label={t('Self-service')}
              hint={t('Everybody who is signed in may ask for oneself')}
            />
          </FormSection>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Group className={classes['sheet'] ?? ''} align="stretch" grow>
          <TemplatePreview draft={values} />
        </Group>
      </Grid.Col>
    </Grid>
  )
}
