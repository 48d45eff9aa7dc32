/** What a request is called: the common name of its subject, and the whole where there is none. */
export const subjectName = (subject: string): string => /^CN=([^,+=\\]+)(?:$|, )/.exec(subject)?.[1] ?? subject

/** A subject as a heading shows it: the common name alone where there is nothing else in it. */
export const plainSubject = (subject: string): string => /^CN=([^,+=\\]+)$/.exec(subject)?.[1] ?? subject
