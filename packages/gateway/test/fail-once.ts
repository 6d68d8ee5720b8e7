/**
 * SQL after which the first statement or commit that fires `trigger` fails as if another transaction had changed the same
 * rows, and the next ones succeed. `trigger` is a trigger without its function.
 */
export function failOnce(trigger: string): string {
  /* A rollback does not reset a database sequence. */
  return `
    create sequence tries;
    create function fail_once() returns trigger language plpgsql as $$
    begin
      if nextval('tries') = 1 then raise sqlstate '40001'; end if;
      return null;
    end $$;
    create ${trigger} execute function fail_once()`;
}
