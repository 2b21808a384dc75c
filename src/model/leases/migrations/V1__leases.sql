-- Budgets by the day, and the leases of them. `tandem leases migrate` applies this; clients only call `tandem.lease`
-- and `tandem.give_back`. Amounts are in micro-dollars: 1,000,000 are one US dollar. Days are in UTC by this
-- database's clock, which is the only one that counts.

create table tandem.budgets (
    team text not null,
    -- '' is the team as a whole, '*' each user without a row of their own.
    member text not null default '',
    micro_dollars bigint not null check (micro_dollars >= 0),
    -- The role that may lease from the team's budget; null for every role that may call the functions.
    role name,
    changed timestamptz not null default now(),
    changed_by name not null default session_user,
    primary key (team, member)
);

-- What each team ('') and each user has spent on a day, and what is out on leases.
create table tandem.days (
    team text not null,
    member text not null,
    day date not null,
    spent bigint not null default 0,
    leased bigint not null default 0,
    live integer not null default 0,
    primary key (team, member, day)
) with (fillfactor = 50);

-- One row for each lease. A lease that was not given back in time counts as spent in full until it is.
create table tandem.leases (
    -- A random number of the client's process, and a count of its leases.
    client bigint not null,
    number integer not null,
    team text not null,
    member text not null,
    role name not null default session_user,
    day date not null,
    amount bigint not null,
    spent bigint,
    state text not null check (state in ('out', 'ended', 'settled')),
    began timestamptz not null default now(),
    until timestamptz not null,
    settled timestamptz,
    primary key (client, number)
);
create index leases_out on tandem.leases (team, until) where state = 'out';
create index leases_by_day on tandem.leases (day, team, member);

-- Adds to the figures of a day, of the team and of the user.
create function tandem.count(of_team text, of_member text, of_day date, more_spent bigint, more_leased bigint,
                             more_live integer)
returns void language sql set search_path = tandem, pg_temp as $$
    insert into tandem.days as it (team, member, day, spent, leased, live)
    values (of_team, '', of_day, more_spent, more_leased, more_live),
           (of_team, of_member, of_day, more_spent, more_leased, more_live)
    on conflict (team, member, day) do update
    set spent = it.spent + excluded.spent, leased = it.leased + excluded.leased, live = it.live + excluded.live
$$;

-- Checks who calls, and gives the calls of one team their turns, so that they cannot wait for each other in a circle.
create function tandem.enter(protocol integer, of_team text, of_member text)
returns bigint language plpgsql set search_path = tandem, pg_temp as $$
declare
    budget tandem.budgets;
begin
    if protocol <> 1 then
        raise exception 'the database has leases of version 1, and this Tandem asks for version %', protocol
            using errcode = 'TD001';
    end if;
    select * into budget from tandem.budgets where team = of_team and member = '' for no key update;
    if not found then
        raise exception 'there is no budget of a team `%`', of_team using errcode = 'TD002';
    end if;
    if budget.role is not null and not pg_has_role(session_user, budget.role, 'member') then
        raise exception 'the role `%` may not lease from the budget of the team `%`', session_user, of_team
            using errcode = 'TD002';
    end if;
    if of_member in ('', '*') or length(of_member) > 200 then
        raise exception 'a user cannot have this name' using errcode = 'TD002';
    end if;
    return budget.micro_dollars;
end
$$;

-- Settles a lease, in time or late, and returns what of it was not spent. What was spent without a lease gets a row.
create function tandem.settle(of_client bigint, of_number integer, of_team text, of_member text, all_spent bigint)
returns bigint language plpgsql set search_path = tandem, pg_temp as $$
declare
    it tandem.leases;
    today date := (now() at time zone 'utc')::date;
begin
    select * into it from tandem.leases where client = of_client and number = of_number;
    if not found then
        if all_spent > 0 then
            insert into tandem.leases (client, number, team, member, day, amount, spent, state, until, settled)
            values (of_client, of_number, of_team, of_member, today, 0, all_spent, 'settled', now(), now());
            perform tandem.count(of_team, of_member, today, all_spent, 0, 0);
        end if;
        return 0;
    end if;
    if it.state = 'settled' or it.team <> of_team or it.member <> of_member then
        return 0;
    end if;
    update tandem.leases set spent = all_spent, state = 'settled', settled = now()
    where client = of_client and number = of_number;
    if it.state = 'out' then
        perform tandem.count(of_team, of_member, it.day, all_spent, -it.amount, -1);
    else
        perform tandem.count(of_team, of_member, it.day, all_spent - it.amount, 0, 0);
    end if;
    return greatest(it.amount - all_spent, 0);
end
$$;

-- Counts leases that were not given back in time as spent in full. Each lease leaves at most one behind.
create function tandem.sweep(of_team text)
returns void language plpgsql set search_path = tandem, pg_temp as $$
declare
    it tandem.leases;
begin
    for it in select * from tandem.leases where team = of_team and state = 'out' and until < now()
              order by until limit 20
    loop
        update tandem.leases set state = 'ended' where client = it.client and number = it.number;
        perform tandem.count(it.team, it.member, it.day, it.amount, -it.amount, -1);
    end loop;
end
$$;

-- Settles the lease before this one and leases anew: `wanted` micro-dollars, or a fair share if that is null, and at
-- least `kept`, which the client may be spending. Repeated with the same number, it returns the same lease: an answer
-- may get lost. `refused` is `team` or `user` if that budget is used up.
create function tandem.lease(protocol integer, of_team text, of_member text, of_client bigint, of_number integer,
                             all_spent bigint, kept bigint, wanted bigint,
                             out amount bigint, out milliseconds bigint, out refused text)
language plpgsql security definer set search_path = tandem, pg_temp set lock_timeout = '3s' as $$
declare
    budget bigint := tandem.enter(protocol, of_team, of_member);
    own_budget bigint;
    today date := (now() at time zone 'utc')::date;
    it tandem.leases;
    team_day tandem.days;
    own_day tandem.days;
    available bigint;
    least_amount bigint := least(5000, budget / 100);
begin
    all_spent := greatest(coalesce(all_spent, 0), 0);
    select * into it from tandem.leases where client = of_client and number >= of_number order by number limit 1;
    if found then
        amount := case when it.number = of_number and it.team = of_team then it.amount else 0 end;
        milliseconds := greatest(extract(epoch from it.until - now()) * 1000, 0)::bigint;
        refused := case when amount > 0 then null else 'team' end;
        return;
    end if;
    kept := least(greatest(kept, 0), tandem.settle(of_client, of_number - 1, of_team, of_member, all_spent));
    perform tandem.sweep(of_team);
    perform tandem.count(of_team, of_member, today, 0, 0, 0);
    select * into team_day from tandem.days where team = of_team and member = '' and day = today;
    select * into own_day from tandem.days where team = of_team and member = of_member and day = today;
    select micro_dollars into own_budget from tandem.budgets
    where team = of_team and member in (of_member, '*') order by member = '*' limit 1;

    available := budget - team_day.spent - team_day.leased;
    refused := case when available <= 0 then 'team' else 'user' end;
    -- A twentieth of the budget may be out at a time, so that nobody is refused before 95 % of it is spent. Leases
    -- shrink as the budget runs out, so that little is out when it is used up.
    amount := least(coalesce(wanted, budget / 20 / (team_day.live + 1)), budget / 100,
                    least(budget / 20 - team_day.leased, available) / 8, available / 2 / (team_day.live + 1));
    if own_budget is not null then
        least_amount := least(least_amount, own_budget / 100);
        available := least(available, own_budget - own_day.spent - own_day.leased);
        amount := least(amount, least(own_budget / 20 - own_day.leased,
                                      own_budget - own_day.spent - own_day.leased) / 2);
    end if;
    amount := greatest(least(greatest(amount, least_amount), available), kept, 0);
    if amount > 0 then
        refused := null;
        milliseconds := 300000;
        insert into tandem.leases (client, number, team, member, day, amount, state, until)
        values (of_client, of_number, of_team, of_member, today, amount, 'out', now() + interval '5 minutes');
        perform tandem.count(of_team, of_member, today, 0, amount, 1);
    else
        milliseconds := ceil(extract(epoch from (today + 1)::timestamp - now() at time zone 'utc') * 1000)::bigint;
    end if;
end
$$;

-- Settles the last lease of a client that ends. If the answer to its last request was lost, the next lease may be
-- out: what was spent since that request is of that one.
create function tandem.give_back(protocol integer, of_team text, of_member text, of_client bigint, of_number integer,
                                 all_spent bigint)
returns void language plpgsql security definer set search_path = tandem, pg_temp set lock_timeout = '3s' as $$
declare
    since bigint;
begin
    perform tandem.enter(protocol, of_team, of_member);
    all_spent := greatest(coalesce(all_spent, 0), 0);
    if exists (select from tandem.leases where client = of_client and number = of_number + 1) then
        select greatest(all_spent - coalesce(spent, 0), 0) into since
        from tandem.leases where client = of_client and number = of_number;
        perform tandem.settle(of_client, of_number + 1, of_team, of_member, coalesce(since, all_spent));
    else
        perform tandem.settle(of_client, of_number, of_team, of_member, all_spent);
    end if;
end
$$;

revoke all on all functions in schema tandem from public;
